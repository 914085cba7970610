import { expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '../../testing/manual-clock.ts'
import { callTools, createScriptedModel, replyWith } from '../../testing/scripted-model.ts'
import { createHttpOutcome, createScriptedHttpTools } from '../../testing/scripted-ports.ts'
import { createScriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { formatPrompt, startVoiceScenario } from '../../testing/voice-scenario.ts'
import { createPlainTurns } from './plain-turns-test-kit.ts'

const TOOL = {
  type: 'custom',
  name: 'look_up',
  url: 'http://127.0.0.1/x',
  method: 'POST',
  parameters: { type: 'object' },
} as const

function createTranscriber(text: string, stable: string) {
  return createScriptedTranscriber([
    { text, interims: [{ afterMs: 900, text: stable, stable: true }], finalAfterMs: 500 },
  ])
}

test('speaks a speculative answer as soon as the turn is committed', async () => {
  const model = createScriptedModel([replyWith('At nine.')])
  const stt = createTranscriber('when do you open', 'when do you open')
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    transcribers: [stt.transcriber],
  })
  await scenario.run(400)
  scenario.speakAsCaller(800)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  const [turn] = scenario.listEntries('turn').concat()
  expect(turn).toBeUndefined()
  scenario.session.end('manual_stopped', false)
  await scenario.run(20)
  expect(scenario.listEntries('turn')[0]?.latency?.modelFirstTokenMs).toBeLessThan(0)
  model.assertConsumed()
  stt.assertConsumed()
  scenario.assertNoLeaks()
})

test('calls no tool and leaves no history for an outdated speculation', async () => {
  const model = createScriptedModel([callTools(['look_up', {}]), replyWith('At nine.')])
  const stt = createTranscriber('when do you open on monday', 'when do you open')
  const http = createScriptedHttpTools()
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    transcribers: [stt.transcriber],
    http,
    engine: { tools: [TOOL] },
  })
  await scenario.run(400)
  scenario.speakAsCaller(800)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(http.calls).toEqual([])
  expect(scenario.listEntries('tool-call')).toEqual([])
  expect(model.requests.slice(1).map(formatPrompt)).toEqual([['user: when do you open on monday']])
  model.assertConsumed()
})

test('runs tools of a speculation once the turn is committed', async () => {
  const model = createScriptedModel([callTools(['look_up', {}]), replyWith('At nine.')])
  const stt = createTranscriber('when do you open', 'when do you open')
  const http = createScriptedHttpTools({ look_up: [createHttpOutcome({ at: 9 })] })
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    transcribers: [stt.transcriber],
    http,
    engine: { tools: [TOOL] },
  })
  await scenario.run(400)
  scenario.speakAsCaller(800)
  await scenario.runUntil(() => model.requests.length === 1)
  await scenario.run(100)
  expect(http.calls).toEqual([])
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(http.calls.length).toBe(1)
  const order = scenario.journal.map(({ entry }) => entry.type).filter((type) => /message|tool/.test(type))
  expect(order).toEqual(['user-message', 'tool-call', 'tool-result', 'agent-message'])
  http.assertConsumed()
  model.assertConsumed()
})

const STABLE = { afterMs: 900, text: 'when do you open', stable: true }

/** Starts a call with the turn "When do you open?" and the speculation "when do you open". */
async function startOnSpeculation(
  main: ReturnType<typeof createScriptedModel>,
  time: ManualClock,
  next = createScriptedModel([]),
) {
  const scenario = await startVoiceScenario({
    time,
    models: { main, next },
    conversation: { fallbackModels: ['next'] },
    transcribers: [
      createScriptedTranscriber([
        { text: 'When do you open?', interims: [STABLE], finalAfterMs: 300 },
        { text: '', interims: [{ afterMs: 300, text: 'No, wait.' }], finalAfterMs: 300 },
      ]).transcriber,
    ],
    http: createScriptedHttpTools({ look_up: [createHttpOutcome({ at: 9 })] }),
    engine: { tools: [TOOL] },
  })
  await scenario.run(400)
  scenario.speakAsCaller(800)
  await scenario.runUntil(() => scenario.listEntries('user-message').length === 1)
  expect(scenario.listEntries('user-message')[0]?.content).toBe('When do you open?')
  expect(scenario.listEntries('warning').map(({ code }) => code)).toEqual(['speculation-used'])
  return scenario
}

test('asks the fallback model once after a failed speculation', async () => {
  const time = createManualClock()
  const main = createScriptedModel([{ events: [{ type: 'hang' }] }], { clock: time.clock })
  const next = createScriptedModel([replyWith('At nine.')])
  const scenario = await startOnSpeculation(main, time, next)
  await scenario.runUntil(() => scenario.listEntries('agent-message').some(({ kind }) => kind === 'reply'))
  expect(next.requests.map(formatPrompt)).toEqual([['user: when do you open']])
})

test('omits the heard part of a speculative answer from the next attempt', async () => {
  const time = createManualClock()
  const main = createScriptedModel([replyWith('We open at nine in the morning, every day.'), replyWith('At nine.')])
  const scenario = await startOnSpeculation(main, time)
  await scenario.runUntil(() => scenario.listHeardWords().length === 4)
  scenario.speakAsCaller(600)
  await scenario.run(8_000)
  expect(main.requests.map(formatPrompt)).toEqual([['user: when do you open'], ['user: when do you open']])
})

test('does not repeat tool calls of a speculative answer', async () => {
  const time = createManualClock()
  const failure = { kind: 'protocol', message: 'Broken.', retryable: false } as const
  const broken = createScriptedModel([callTools(['look_up', {}]), { events: [{ type: 'error', failure }] }])
  const next = createScriptedModel([{ events: [{ type: 'error', failure }] }, replyWith('At nine.')])
  const scenario = await startOnSpeculation(broken, time, next)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.listEntries('tool-call')).toHaveLength(1)
  expect(next.requests.map(formatPrompt).at(-1)).toEqual([
    'user: When do you open?',
    'assistant: [look_up]',
    'tool: {"at":9}',
  ])
})
