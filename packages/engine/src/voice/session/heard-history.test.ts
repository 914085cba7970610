import fc from 'fast-check'
import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { startVoiceWorld } from '../../testing/voice-world.ts'
import { plainTurns } from './plain-turns-test-kit.ts'

const TEXT =
  'Of course, I can help you with that. The next train to the coast leaves at half past seven, from platform twelve; please be there in time.'
const WORDS = TEXT.split(' ')

/** Where the caller cuts in: milliseconds after the question was asked. */
async function cutAt(delayMs: number, voice: { withWords: boolean; msPerWord: number }) {
  const model = scriptedModel([says(TEXT)])
  const world = await startVoiceWorld({
    machine: plainTurns(),
    models: { main: model },
    voices: [{ otherwise: voice }],
  })
  world.caller.sendText('when does it leave')
  await world.run(delayMs)
  world.callerSpeaks(300)
  await world.run(800)
  const said = world.entries('agent-message')
  const heard = world.heardWords()
  world.caller.hangUp()
  await world.run(20)
  world.assertNothingLeft()
  return { remembered: (said[0]?.content ?? '').split(' ').filter((word) => word !== ''), heard }
}

test.each([
  ['tells the times of its words', true, 1],
  ['tells no times', false, 2],
])(
  'with a voice that %s, what is remembered is off by so many words at most, wherever it was cut',
  async (_, withWords, most) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 60, max: 6_000 }),
        fc.integer({ min: 150, max: 400 }),
        async (delayMs, msPerWord) => {
          const { remembered, heard } = await cutAt(delayMs, { withWords, msPerWord })
          expect(WORDS.slice(0, remembered.length)).toEqual(remembered)
          expect(WORDS.slice(0, heard.length)).toEqual(heard)
          expect(Math.abs(heard.length - remembered.length)).toBeLessThanOrEqual(most)
        },
      ),
      { numRuns: 40 },
    )
  },
)

test('what is spoken in other words is remembered as it was written, in whole words', async () => {
  const model = scriptedModel([says('It costs 12.50 EUR and takes 3 days.')])
  const world = await startVoiceWorld({ machine: plainTurns(), models: { main: model }, normalise: true })
  world.caller.sendText('what does it cost')
  await world.runUntil(() => world.heardWords().includes('takes'))
  const spoken = world.heardWords().join(' ')
  expect(spoken).not.toContain('12.50')
  world.callerSpeaks(300)
  await world.run(500)
  expect(world.entries('agent-message')[0]?.content).toMatch(/^It costs 12\.50 EUR and( takes)?$/)
})

test('a fault in the middle of a call ends it, and only it', async () => {
  const world = await startVoiceWorld({
    machine: {
      ...plainTurns(),
      advance: (state, event) => {
        if (event.type === 'typed') throw new Error('a fault')
        return { state, effects: [] }
      },
    },
  })
  world.caller.sendText('hello')
  await world.run(20)
  expect(world.outcome()).toMatchObject({ reason: 'error_unknown' })
  expect(world.entries('warning')).toMatchObject([{ code: 'internal-error' }])
  expect(world.faults).toHaveLength(1)
  world.assertNothingLeft()
})
