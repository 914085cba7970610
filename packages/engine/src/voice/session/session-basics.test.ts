import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { promptTranscript, startVoiceScenario } from '../../testing/voice-scenario.ts'
import { plainTurns } from './plain-turns-test-kit.ts'
import type { TurnMachine } from './session-loop.ts'

test('a call is opened, answered and ended, and its record tells what was said and when', async () => {
  const model = scriptedModel([says('The shop opens at nine. ', 'Can I do anything else?')])
  const stt = scriptedTranscriber([{ text: 'when do you open', finalAfterMs: 200 }])
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    opening: { type: 'say', text: 'Hello, this is Ada.' },
    models: { main: model },
    transcribers: [stt.transcriber],
  })
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  scenario.callerSpeaks(1_200)
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)
  await scenario.run(500)
  scenario.caller.hangUp()
  await scenario.run(100)

  expect(scenario.heardWords().join(' ')).toBe('Hello, this is Ada. The shop opens at nine. Can I do anything else?')
  expect(
    scenario.entries('agent-message').map(({ content, kind, interrupted }) => [kind, content, interrupted]),
  ).toEqual([
    ['opening', 'Hello, this is Ada.', false],
    ['reply', 'The shop opens at nine. Can I do anything else?', false],
  ])
  expect(scenario.entries('user-message')).toMatchObject([{ content: 'when do you open', source: 'speech' }])
  expect(model.requests.map(promptTranscript)).toEqual([['assistant: Hello, this is Ada.', 'user: when do you open']])
  expect(scenario.outcome()).toMatchObject({ reason: 'user_hangup' })
  const [turn] = scenario.entries('turn')
  expect(turn?.latency).toMatchObject({ endOfTurnMs: 200, modelFirstTokenMs: 0, synthesisFirstAudioMs: 50 })
  expect(turn?.latency?.totalMs).toBeLessThan(500)
  model.assertConsumed()
  stt.assertConsumed()
  scenario.assertNoLeaks()
})

test('a call that ends as it begins opens no recogniser', async () => {
  const stt = scriptedTranscriber([])
  const machine: TurnMachine<null> = {
    initialState: () => null,
    advance: () => ({ state: null, effects: [{ type: 'end', reason: 'user_hangup' }] }),
  }
  const scenario = await startVoiceScenario({ machine, transcribers: [stt.transcriber] })
  expect(scenario.outcome()).toMatchObject({ reason: 'user_hangup' })
  expect(stt.openSessions()).toBe(0)
  scenario.assertNoLeaks()
})
