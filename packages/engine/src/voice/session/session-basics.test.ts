import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { startVoiceWorld, toldConversation } from '../../testing/voice-world.ts'
import { plainTurns } from './plain-turns-test-kit.ts'
import type { TurnMachine } from './session-loop.ts'

test('a call is opened, answered and ended, and its record tells what was said and when', async () => {
  const model = scriptedModel([says('The shop opens at nine. ', 'Can I do anything else?')])
  const ears = scriptedTranscriber([{ text: 'when do you open', finalAfterMs: 200 }])
  const world = await startVoiceWorld({
    machine: plainTurns(),
    opening: { type: 'say', text: 'Hello, this is Ada.' },
    models: { main: model },
    transcribers: [ears.transcriber],
  })
  await world.runUntil(() => world.entries('agent-message').length === 1)
  world.callerSpeaks(1_200)
  await world.runUntil(() => world.entries('agent-message').length === 2)
  await world.run(500)
  world.caller.hangUp()
  await world.run(100)

  expect(world.heardWords().join(' ')).toBe('Hello, this is Ada. The shop opens at nine. Can I do anything else?')
  expect(world.entries('agent-message').map(({ content, kind, interrupted }) => [kind, content, interrupted])).toEqual([
    ['opening', 'Hello, this is Ada.', false],
    ['reply', 'The shop opens at nine. Can I do anything else?', false],
  ])
  expect(world.entries('user-message')).toMatchObject([{ content: 'when do you open', source: 'speech' }])
  expect(model.requests.map(toldConversation)).toEqual([['assistant: Hello, this is Ada.', 'user: when do you open']])
  expect(world.outcome()).toMatchObject({ reason: 'user_hangup' })
  const [turn] = world.entries('turn')
  expect(turn?.latency).toMatchObject({ endOfTurnMs: 200, modelFirstTokenMs: 0, synthesisFirstAudioMs: 50 })
  expect(turn?.latency?.totalMs).toBeLessThan(500)
  model.assertConsumed()
  ears.assertConsumed()
  world.assertNothingLeft()
})

test('a call that ends as it begins opens no recogniser', async () => {
  const ears = scriptedTranscriber([])
  const machine: TurnMachine<null> = {
    initialState: () => null,
    advance: () => ({ state: null, effects: [{ type: 'end', reason: 'user_hangup' }] }),
  }
  const world = await startVoiceWorld({ machine, transcribers: [ears.transcriber] })
  expect(world.outcome()).toMatchObject({ reason: 'user_hangup' })
  expect(ears.openSessions()).toBe(0)
  world.assertNothingLeft()
})
