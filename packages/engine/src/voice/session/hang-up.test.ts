import { expect, test } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { answersWith, scriptedHttpTools } from '../../testing/scripted-http-tools.ts'
import { callsTools, says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'

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
  const stt = scriptedTranscriber([{ text: 'When do you open?' }, { text: 'No, wait a moment.' }])
  const scenario = await startVoiceScenario({
    time,
    opening: { type: 'say', text: 'Hello.' },
    models: { main: model },
    http: scriptedHttpTools({ look_up: [slow] }),
    transcribers: [stt.transcriber],
    engine: { tools: [TOOL] },
    leg: { cancelsEcho: true },
  })
  return { scenario, stt, time }
}

const MOMENTS = Array.from({ length: 40 }, (_, index) => index * 150 + 10)

test.each(MOMENTS)('a caller who hangs up after %i ms leaves nothing behind', async (atMs) => {
  const { scenario, stt, time } = await startBusyCall()
  const speaksAt = [700, 4_200]
  for (let passed = 0; passed < atMs; passed += 10) {
    if (speaksAt.includes(passed)) scenario.callerSpeaks(900)
    await scenario.run(10)
  }
  scenario.caller.hangUp()
  await time.advance(0)
  expect(scenario.outcome()).toMatchObject({ reason: 'user_hangup' })
  expect(scenario.leg.isClosing).toBe(true)
  expect(stt.openSessions()).toBe(0)
  const recorded = scenario.journal.length
  // A tool that was sent cannot be called back; whatever comes of it is nobody's business any more.
  await time.advance(5_000)
  scenario.session.pump(time.clock.now())
  expect(scenario.journal).toHaveLength(recorded)
  scenario.assertNoLeaks()
})

test('a goodbye is said to its end before the agent hangs up', async () => {
  const model = scriptedModel([
    {
      events: [{ type: 'text-delta', text: 'Thank you for calling, goodbye.' }, ...callsTools(['end_call', {}]).events],
    },
  ])
  const scenario = await startVoiceScenario({
    models: { main: model },
    engine: { tools: [{ type: 'end_call', name: 'end_call' }] },
  })
  scenario.caller.sendText('bye')
  await scenario.runUntil(() => scenario.outcome() !== null)
  expect(scenario.outcome()).toMatchObject({ reason: 'agent_hangup' })
  expect(scenario.heardWords().join(' ')).toBe('Thank you for calling, goodbye.')
  expect(scenario.entries('agent-message')).toMatchObject([
    { content: 'Thank you for calling, goodbye.', interrupted: false },
  ])
  model.assertConsumed()
  scenario.assertNoLeaks()
})
