import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/manual-clock.ts'
import { callTools, createScriptedModel, failWith, replyWith } from '../../testing/scripted-model.ts'
import { createHttpOutcome, createScriptedHttpTools } from '../../testing/scripted-ports.ts'
import { createScriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { formatPrompt, startVoiceScenario } from '../../testing/voice-scenario.ts'
import { createPlainTurns } from './plain-turns-test-kit.ts'
import { CallTimers, type TurnMachine } from './voice-session.ts'

const GREETING = 'Hello, this is Ada. How can I help you?'
const LONG = 'We are open from nine in the morning until six in the evening, from Monday to Friday.'

test('ignores a "mhm" and handles an opening, a turn and an interruption', async () => {
  const model = createScriptedModel([replyWith(LONG), replyWith('Yes, on Saturdays until noon.')])
  const stt = createScriptedTranscriber([
    { text: 'When do you open?' },
    { text: 'mhm', interims: [{ afterMs: 250, text: 'mhm', stable: true }] },
    { text: 'No wait, what about Saturday?' },
  ])
  const scenario = await startVoiceScenario({
    opening: { type: 'say', text: GREETING },
    models: { main: model },
    transcribers: [stt.transcriber],
  })
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  scenario.speakAsCaller(1_500)
  await scenario.runUntil(() => scenario.listHeardWords().length === 8 + 6)
  scenario.speakAsCaller(300)
  await scenario.runUntil(() => scenario.listHeardWords().includes('evening,'))
  await scenario.run(250)
  expect(scenario.listEntries('agent-message')).toHaveLength(1)
  scenario.speakAsCaller(1_500)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 3)

  const messages = scenario.listEntries('agent-message')
  expect(messages.map(({ interrupted }) => interrupted)).toEqual([false, true, false])
  expect(messages[1]?.content).toMatch(/^We are open from nine .* evening,/)
  expect(messages[1]?.content).not.toContain('Friday')
  expect(scenario.listEntries('user-message').map(({ content }) => content)).toEqual([
    'When do you open?',
    'No wait, what about Saturday?',
  ])
  expect(formatPrompt(model.requests.at(-1))).toEqual([
    `assistant: ${GREETING}`,
    'user: When do you open?',
    `assistant: ${messages[1]?.content}`,
    'user: No wait, what about Saturday?',
  ])
  await scenario.hangUp()
  expect(scenario.getOutcome()).toMatchObject({ reason: 'user_hangup' })
  model.assertConsumed()
  stt.assertConsumed()
})

test('speaks a filler while a model hangs, then answers with the fallback model', async () => {
  const time = createManualClock()
  const main = createScriptedModel([{ events: [{ type: 'hang' }] }], { clock: time.clock })
  const spare = createScriptedModel([replyWith('We open at nine.')])
  const scenario = await startVoiceScenario({
    time,
    models: { main, spare },
    conversation: { fallbackModels: ['spare'] },
  })
  scenario.caller.sendText('When do you open?')
  await scenario.runUntil(() => scenario.listHeardWords().includes('nine.'))
  expect(scenario.getElapsedMs()).toBeLessThan(12_000)
  expect(spare.requests.map(formatPrompt)).toEqual([['user: When do you open?']])
  await scenario.runUntil(() => scenario.listEntries('agent-message').some(({ kind }) => kind === 'reply'))
  expect(scenario.listEntries('agent-message').map(({ kind }) => kind)).toEqual(['filler', 'reply'])
  expect(scenario.listEntries('user-message')).toHaveLength(1)
  expect(scenario.session.getTranscript()).toEqual([
    { role: 'user', content: 'When do you open?' },
    { role: 'agent', content: 'We open at nine.' },
  ])
  await scenario.hangUp()
})

test('speaks the fallback sentence when no model answers', async () => {
  const failure = { retryable: false, kind: 'rejected' } as const
  const main = createScriptedModel([failWith(failure), failWith(failure)])
  const scenario = await startVoiceScenario({ models: { main } })
  scenario.caller.sendText('When do you open?')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length > 0)
  expect(scenario.listEntries('agent-message')).toMatchObject([
    { kind: 'fallback', content: 'I am sorry, something went wrong.', turnId: 'turn_1' },
  ])
  scenario.session.end('manual_stopped', false)
  await scenario.run(20)
  expect(scenario.listEntries('turn')[0]?.latency).not.toBeNull()
  scenario.assertNoLeaks()
})

test('speaks a `say` command and adds it to the history', async () => {
  const scenario = await startVoiceScenario({})
  scenario.session.say('Your taxi is waiting.', true)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.listEntries('agent-message')).toMatchObject([
    { kind: 'say', content: 'Your taxi is waiting.', turnId: null },
  ])
  expect(scenario.session.getTranscript()).toEqual([{ role: 'agent', content: 'Your taxi is waiting.' }])
  scenario.session.end('manual_stopped', true)
  await scenario.run(20)
  expect(scenario.getOutcome()).toMatchObject({ reason: 'manual_stopped' })
  scenario.assertNoLeaks()
})

test('does not interrupt the agent by its own echo', async () => {
  const model = createScriptedModel([replyWith(LONG)])
  const scenario = await startVoiceScenario({ models: { main: model }, leg: { cancelsEcho: false }, echo: 0.05 })
  scenario.caller.sendText('When do you open?')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.listEntries('agent-message')).toMatchObject([{ content: LONG, interrupted: false }])
  expect(scenario.listHeardWords().join(' ')).toBe(LONG)
})

test.each([
  ['from the start', false],
  ['once recognition fails', true],
])('ignores noise when nothing recognizes speech, %s', async (_, recognizesSpeech) => {
  const model = createScriptedModel([replyWith('At nine.')])
  const scenario = await startVoiceScenario({
    opening: { type: 'say', text: GREETING },
    models: { main: model },
    leg: { recognizesSpeech },
  })
  await scenario.runUntil(() => scenario.listHeardWords().length === 2)
  scenario.speakAsCaller(20_000)
  if (recognizesSpeech) {
    await scenario.run(1_000)
    expect(scenario.listHeardWords().length).toBeLessThan(5)
    scenario.caller.failRecognition()
  }
  await scenario.run(4_000)
  expect(scenario.listHeardWords().join(' ')).toContain('How can I help you?')
  scenario.caller.sendText('When do you open?')
  await scenario.run(2_000)
  expect(scenario.listHeardWords().slice(-2)).toEqual(['At', 'nine.'])
  expect(scenario.listEntries('warning').map(({ code }) => code)).toContain('no-ears')
  scenario.session.end('manual_stopped', false)
  await scenario.run(100)
  scenario.assertNoLeaks()
})

test('replaces a voice that does not start in time, also for later utterances', async () => {
  const model = createScriptedModel([replyWith(LONG), replyWith('Yes.')])
  const scenario = await startVoiceScenario({
    models: { main: model },
    voices: [{ script: [{ delayMs: Number.POSITIVE_INFINITY }] }, {}],
  })
  scenario.caller.sendText('When do you open?')
  await scenario.runUntil(() => scenario.listEntries('agent-message').some(({ kind }) => kind === 'reply'))
  expect(scenario.listHeardWords().join(' ')).toBe(LONG)
  scenario.caller.sendText('Really?')
  await scenario.runUntil(() => scenario.listHeardWords().at(-1) === 'Yes.')
  await scenario.hangUp()
  expect(scenario.voices[0]?.requests).toHaveLength(1)
})

test('does not repeat a generated opening after an interruption', async () => {
  const model = createScriptedModel([
    replyWith('Hello, this is Ada, your assistant at the shop.'),
    replyWith('At nine.'),
  ])
  const stt = createScriptedTranscriber([{ text: 'Stop, when do you open?' }])
  const scenario = await startVoiceScenario({
    opening: { type: 'generate' },
    models: { main: model },
    transcribers: [stt.transcriber],
  })
  await scenario.runUntil(() => scenario.listHeardWords().length === 5)
  scenario.speakAsCaller(1_500)
  await scenario.runUntil(() => scenario.listHeardWords().at(-1) === 'nine.')
  expect(formatPrompt(model.requests.at(-1))).toEqual([
    expect.stringMatching(/^assistant: Hello, this is Ada,( your)?( assistant)?$/),
    'user: Stop, when do you open?',
  ])
  expect(scenario.listHeardWords().filter((word) => word === 'Hello,')).toHaveLength(1)
  await scenario.hangUp()
  stt.assertConsumed()
  model.assertConsumed()
})

test('records the opening, answer and end of a call with their times', async () => {
  const model = createScriptedModel([replyWith('The shop opens at nine. ', 'Can I do anything else?')])
  const stt = createScriptedTranscriber([{ text: 'when do you open', finalAfterMs: 200 }])
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    opening: { type: 'say', text: 'Hello, this is Ada.' },
    models: { main: model },
    transcribers: [stt.transcriber],
  })
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  scenario.speakAsCaller(1_200)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 2)
  await scenario.run(500)
  await scenario.hangUp()

  expect(scenario.listHeardWords().join(' ')).toBe(
    'Hello, this is Ada. The shop opens at nine. Can I do anything else?',
  )
  expect(
    scenario.listEntries('agent-message').map(({ content, kind, interrupted }) => [kind, content, interrupted]),
  ).toEqual([
    ['opening', 'Hello, this is Ada.', false],
    ['reply', 'The shop opens at nine. Can I do anything else?', false],
  ])
  expect(scenario.listEntries('user-message')).toMatchObject([{ content: 'when do you open', source: 'speech' }])
  expect(model.requests.map(formatPrompt)).toEqual([['assistant: Hello, this is Ada.', 'user: when do you open']])
  expect(scenario.getOutcome()).toMatchObject({ reason: 'user_hangup' })
  const [turn] = scenario.listEntries('turn')
  expect(turn?.latency).toMatchObject({ endOfTurnMs: 200, modelFirstTokenMs: 0, synthesisFirstAudioMs: 50 })
  expect(turn?.latency?.totalMs).toBeLessThan(500)
  model.assertConsumed()
  stt.assertConsumed()
})

test('opens no transcriber for a call that ends at once', async () => {
  const stt = createScriptedTranscriber([])
  const machine: TurnMachine<null> = {
    createInitialState: () => null,
    advance: () => ({ state: null, effects: [{ type: 'end', reason: 'user_hangup' }] }),
  }
  const scenario = await startVoiceScenario({ machine, transcribers: [stt.transcriber] })
  expect(scenario.getOutcome()).toMatchObject({ reason: 'user_hangup' })
  expect(stt.countOpenSessions()).toBe(0)
  scenario.assertNoLeaks()
})

const TOOL = {
  type: 'custom',
  name: 'look_up',
  url: 'http://127.0.0.1/x',
  method: 'POST',
  parameters: { type: 'object' },
} as const

async function startBusyCall() {
  const time = createManualClock()
  const model = createScriptedModel(
    [
      { events: [{ type: 'delay', delayMs: 400 }, ...callTools(['look_up', {}]).events] },
      replyWith('We open at nine. Is there anything else that I can do?'),
      replyWith('Goodbye then.'),
    ],
    { clock: time.clock },
  )
  const respondSlowly = () =>
    new Promise<ReturnType<typeof createHttpOutcome>>((resolve) => {
      time.clock.after(600, () => resolve(createHttpOutcome({ at: 9 })))
    })
  const stt = createScriptedTranscriber([{ text: 'When do you open?' }, { text: 'No, wait a moment.' }])
  const scenario = await startVoiceScenario({
    time,
    opening: { type: 'say', text: 'Hello.' },
    models: { main: model },
    http: createScriptedHttpTools({ look_up: [respondSlowly] }),
    transcribers: [stt.transcriber],
    engine: { tools: [TOOL] },
    leg: { cancelsEcho: true },
  })
  return { scenario, stt, time }
}

const MOMENTS = Array.from({ length: 40 }, (_, index) => index * 150 + 10)

test.each(MOMENTS)('leaves nothing behind when the caller hangs up after %i ms', async (atMs) => {
  const { scenario, stt, time } = await startBusyCall()
  const speaksAt = [700, 4_200]
  for (let passed = 0; passed < atMs; passed += 10) {
    if (speaksAt.includes(passed)) scenario.speakAsCaller(900)
    await scenario.run(10)
  }
  scenario.caller.hangUp()
  await time.advance(0)
  expect(scenario.getOutcome()).toMatchObject({ reason: 'user_hangup' })
  expect(scenario.leg.isClosing).toBe(true)
  expect(stt.countOpenSessions()).toBe(0)
  const recorded = scenario.journal.length
  // A running tool cannot be canceled; its result is ignored.
  await time.advance(5_000)
  scenario.session.pump(time.clock.now())
  expect(scenario.journal).toHaveLength(recorded)
  scenario.assertNoLeaks()
})

test('speaks a goodbye to its end before hanging up', async () => {
  const model = createScriptedModel([
    {
      events: [{ type: 'text-delta', text: 'Thank you for calling, goodbye.' }, ...callTools(['end_call', {}]).events],
    },
  ])
  const scenario = await startVoiceScenario({
    models: { main: model },
    engine: { tools: [{ type: 'end_call', name: 'end_call' }] },
  })
  scenario.caller.sendText('bye')
  await scenario.runUntil(() => scenario.getOutcome() !== null)
  expect(scenario.getOutcome()).toMatchObject({ reason: 'agent_hangup' })
  expect(scenario.listHeardWords().join(' ')).toBe('Thank you for calling, goodbye.')
  expect(scenario.listEntries('agent-message')).toMatchObject([
    { content: 'Thank you for calling, goodbye.', interrupted: false },
  ])
  model.assertConsumed()
  scenario.assertNoLeaks()
})

test('fires a timer with a fractional deadline after its time', async () => {
  const time = createManualClock()
  const firedAtMs: number[] = []
  const timers = new CallTimers(time.clock, () => firedAtMs.push(time.clock.now()))
  const startMs = time.clock.now()
  timers.set('end-of-turn', startMs + 100.9)
  await time.advance(100)
  expect(firedAtMs).toEqual([])
  await time.advance(1)
  expect(firedAtMs).toEqual([startMs + 101])
})

test('fires timers neither early nor never if the clock is behind', async () => {
  const time = createManualClock()
  let behindMs = 0
  const clock = { ...time.clock, now: () => time.clock.now() - behindMs }
  const firedTimers: string[] = []
  const timers = new CallTimers(clock, (name) => firedTimers.push(name))
  timers.set('end-of-turn', clock.now() + 100)
  behindMs = 2
  await time.advance(101)
  expect(firedTimers).toEqual([])
  await time.advance(1)
  expect(firedTimers).toEqual(['end-of-turn'])
  timers.set('silence', clock.now() + 100)
  behindMs = 50
  await time.advance(149 - 2)
  timers.clearAll()
  await time.advance(100)
  expect(firedTimers).toEqual(['end-of-turn'])
})
