import fc from 'fast-check'
import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'
import { plainTurns } from './plain-turns-test-kit.ts'

const TEXT =
  'Of course, I can help you with that. The next train to the coast leaves at half past seven, from platform twelve; please be there in time.'
const WORDS = TEXT.split(' ')

/** Where the caller cuts in: milliseconds after the question was asked. */
async function cutAt(delayMs: number, voice: { withWords: boolean; msPerWord: number }) {
  const model = scriptedModel([says(TEXT)])
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    models: { main: model },
    voices: [{ otherwise: voice }],
  })
  scenario.caller.sendText('when does it leave')
  await scenario.run(delayMs)
  scenario.callerSpeaks(300)
  await scenario.run(800)
  const said = scenario.entries('agent-message')
  const heard = scenario.heardWords()
  scenario.caller.hangUp()
  await scenario.run(20)
  scenario.assertNoLeaks()
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
  const scenario = await startVoiceScenario({ machine: plainTurns(), models: { main: model }, normalize: true })
  scenario.caller.sendText('what does it cost')
  await scenario.runUntil(() => scenario.heardWords().includes('takes'))
  const spoken = scenario.heardWords().join(' ')
  expect(spoken).not.toContain('12.50')
  scenario.callerSpeaks(300)
  await scenario.run(500)
  expect(scenario.entries('agent-message')[0]?.content).toMatch(/^It costs 12\.50 EUR and( takes)?$/)
})

test('a fault in the middle of a call ends it, and only it', async () => {
  const scenario = await startVoiceScenario({
    machine: {
      ...plainTurns(),
      advance: (state, event) => {
        if (event.type === 'typed') throw new Error('a fault')
        return { state, effects: [] }
      },
    },
  })
  scenario.caller.sendText('hello')
  await scenario.run(20)
  expect(scenario.outcome()).toMatchObject({ reason: 'error_unknown' })
  expect(scenario.entries('warning')).toMatchObject([{ code: 'internal-error' }])
  expect(scenario.faults).toHaveLength(1)
  scenario.assertNoLeaks()
})
