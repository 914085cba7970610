import { expect, test } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { answersWith, scriptedHttpTools } from '../../testing/scripted-http-tools.ts'
import { callsTools, says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { startVoiceWorld } from '../../testing/voice-world.ts'

const TOOL = {
  type: 'custom',
  name: 'look_up',
  url: 'http://127.0.0.1/x',
  method: 'POST',
  parameters: { type: 'object' },
} as const

async function startBusyCall() {
  const time = manualClock()
  const model = scriptedModel(
    [
      { events: [{ type: 'delay', delayMs: 400 }, ...callsTools(['look_up', {}]).events] },
      says('We open at nine. Is there anything else that I can do?'),
      says('Goodbye then.'),
    ],
    { clock: time.clock },
  )
  const slow = () =>
    new Promise<ReturnType<typeof answersWith>>((resolve) => {
      time.clock.after(600, () => resolve(answersWith({ at: 9 })))
    })
  const ears = scriptedTranscriber([{ text: 'When do you open?' }, { text: 'No, wait a moment.' }])
  const world = await startVoiceWorld({
    time,
    opening: { type: 'say', text: 'Hello.' },
    models: { main: model },
    http: scriptedHttpTools({ look_up: [slow] }),
    transcribers: [ears.transcriber],
    engine: { tools: [TOOL] },
    leg: { cancelsEcho: true },
  })
  return { world, ears, time }
}

const MOMENTS = Array.from({ length: 40 }, (_, index) => index * 150 + 10)

test.each(MOMENTS)('a caller who hangs up after %i ms leaves nothing behind', async (atMs) => {
  const { world, ears, time } = await startBusyCall()
  const speaksAt = [700, 4_200]
  for (let passed = 0; passed < atMs; passed += 10) {
    if (speaksAt.includes(passed)) world.callerSpeaks(900)
    await world.run(10)
  }
  world.caller.hangUp()
  await time.advance(0)
  expect(world.outcome()).toMatchObject({ reason: 'user_hangup' })
  expect(world.leg.isClosing).toBe(true)
  expect(ears.openSessions()).toBe(0)
  const recorded = world.journal.length
  // A tool that was sent cannot be called back; whatever comes of it is nobody's business any more.
  await time.advance(5_000)
  world.session.pump(time.clock.now())
  expect(world.journal).toHaveLength(recorded)
  world.assertNothingLeft()
})

test('a goodbye is said to its end before the agent hangs up', async () => {
  const model = scriptedModel([
    {
      events: [{ type: 'text-delta', text: 'Thank you for calling, goodbye.' }, ...callsTools(['end_call', {}]).events],
    },
  ])
  const world = await startVoiceWorld({
    models: { main: model },
    engine: { tools: [{ type: 'end_call', name: 'end_call' }] },
  })
  world.caller.sendText('bye')
  await world.runUntil(() => world.outcome() !== null)
  expect(world.outcome()).toMatchObject({ reason: 'agent_hangup' })
  expect(world.heardWords().join(' ')).toBe('Thank you for calling, goodbye.')
  expect(world.entries('agent-message')).toMatchObject([
    { content: 'Thank you for calling, goodbye.', interrupted: false },
  ])
  model.assertConsumed()
  world.assertNothingLeft()
})
