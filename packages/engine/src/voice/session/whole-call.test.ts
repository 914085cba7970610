import { expect, test } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { failsWith, says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { promptTranscript, startVoiceScenario } from '../../testing/voice-scenario.ts'

const GREETING = 'Hello, this is Ada. How can I help you?'
const LONG = 'We are open from nine in the morning until six in the evening, from Monday to Friday.'

test('a call with an opening, a turn, a "mhm" that disturbs nobody, and an interruption', async () => {
  const model = scriptedModel([says(LONG), says('Yes, on Saturdays until noon.')])
  const stt = scriptedTranscriber([
    { text: 'When do you open?' },
    { text: 'mhm', interims: [{ afterMs: 250, text: 'mhm', stable: true }] },
    { text: 'No wait, what about Saturday?' },
  ])
  const scenario = await startVoiceScenario({
    opening: { type: 'say', text: GREETING },
    models: { main: model },
    transcribers: [stt.transcriber],
  })
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  scenario.callerSpeaks(1_500)
  await scenario.runUntil(() => scenario.heardWords().length === 8 + 6)
  scenario.callerSpeaks(300)
  await scenario.runUntil(() => scenario.heardWords().includes('evening,'))
  await scenario.run(250)
  expect(scenario.entries('agent-message')).toHaveLength(1)
  scenario.callerSpeaks(1_500)
  await scenario.runUntil(() => scenario.entries('agent-message').length === 3)

  const messages = scenario.entries('agent-message')
  expect(messages.map(({ interrupted }) => interrupted)).toEqual([false, true, false])
  expect(messages[1]?.content).toMatch(/^We are open from nine .* evening,/)
  expect(messages[1]?.content).not.toContain('Friday')
  expect(scenario.entries('user-message').map(({ content }) => content)).toEqual([
    'When do you open?',
    'No wait, what about Saturday?',
  ])
  const request = model.requests.at(-1)
  if (request === undefined) throw new Error('The model was not asked.')
  expect(promptTranscript(request)).toEqual([
    `assistant: ${GREETING}`,
    'user: When do you open?',
    `assistant: ${messages[1]?.content}`,
    'user: No wait, what about Saturday?',
  ])
  scenario.caller.hangUp()
  await scenario.run(100)
  expect(scenario.outcome()).toMatchObject({ reason: 'user_hangup' })
  model.assertConsumed()
  stt.assertConsumed()
  scenario.assertNoLeaks()
})

test('a model that hangs: something is said meanwhile, then the next model answers, and the question stands once in the history', async () => {
  const time = manualClock()
  const main = scriptedModel([{ events: [{ type: 'hang' }] }], { clock: time.clock })
  const spare = scriptedModel([says('We open at nine.')])
  const scenario = await startVoiceScenario({
    time,
    models: { main, spare },
    conversation: { fallbackModels: ['spare'] },
  })
  scenario.caller.sendText('When do you open?')
  await scenario.runUntil(() => scenario.heardWords().includes('nine.'))
  expect(scenario.elapsedMs()).toBeLessThan(12_000)
  expect(spare.requests.map(promptTranscript)).toEqual([['user: When do you open?']])
  await scenario.runUntil(() => scenario.entries('agent-message').some(({ kind }) => kind === 'reply'))
  expect(scenario.entries('agent-message').map(({ kind }) => kind)).toEqual(['filler', 'reply'])
  expect(scenario.entries('user-message')).toHaveLength(1)
  expect(scenario.session.transcript()).toEqual([
    { role: 'user', content: 'When do you open?' },
    { role: 'agent', content: 'We open at nine.' },
  ])
  scenario.caller.hangUp()
  await scenario.run(20)
  scenario.assertNoLeaks()
})

test('when no model answers, a sentence stands in for the answer', async () => {
  const failure = { retryable: false, kind: 'rejected' } as const
  const main = scriptedModel([failsWith(failure), failsWith(failure)])
  const scenario = await startVoiceScenario({ models: { main } })
  scenario.caller.sendText('When do you open?')
  await scenario.runUntil(() => scenario.entries('agent-message').length > 0)
  expect(scenario.entries('agent-message')).toMatchObject([
    { kind: 'fallback', content: 'I am sorry, something went wrong.', turnId: 'turn_1' },
  ])
  scenario.session.end('manual_stopped', false)
  await scenario.run(20)
  expect(scenario.entries('turn')[0]?.latency).not.toBeNull()
  scenario.assertNoLeaks()
})

test('what is said from outside is heard, recorded and remembered', async () => {
  const scenario = await startVoiceScenario({})
  scenario.session.say('Your taxi is waiting.', true)
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  expect(scenario.entries('agent-message')).toMatchObject([
    { kind: 'say', content: 'Your taxi is waiting.', turnId: null },
  ])
  expect(scenario.session.transcript()).toEqual([{ role: 'agent', content: 'Your taxi is waiting.' }])
  scenario.session.end('manual_stopped', true)
  await scenario.run(20)
  expect(scenario.outcome()).toMatchObject({ reason: 'manual_stopped' })
  scenario.assertNoLeaks()
})

test('a caller without echo cancellation: the agent is not stopped by its own voice', async () => {
  const model = scriptedModel([says(LONG)])
  const scenario = await startVoiceScenario({ models: { main: model }, leg: { cancelsEcho: false }, echo: 0.2 })
  scenario.caller.sendText('When do you open?')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  expect(scenario.entries('agent-message')).toMatchObject([{ content: LONG, interrupted: false }])
  expect(scenario.heardWords().join(' ')).toBe(LONG)
})

test.each([
  ['from the beginning', false],
  ['when that turns out', true],
])('noise of a caller whose speech nobody understands does not hold up the agent, %s', async (_, recognizesSpeech) => {
  const model = scriptedModel([says('At nine.')])
  const scenario = await startVoiceScenario({
    opening: { type: 'say', text: GREETING },
    models: { main: model },
    leg: { recognizesSpeech },
  })
  await scenario.runUntil(() => scenario.heardWords().length === 2)
  scenario.callerSpeaks(20_000)
  if (recognizesSpeech) {
    await scenario.run(1_000)
    expect(scenario.heardWords().length).toBeLessThan(5)
    scenario.caller.failRecognition()
  }
  await scenario.run(4_000)
  expect(scenario.heardWords().join(' ')).toContain('How can I help you?')
  scenario.caller.sendText('When do you open?')
  await scenario.run(2_000)
  expect(scenario.heardWords().slice(-2)).toEqual(['At', 'nine.'])
  expect(scenario.entries('warning').map(({ code }) => code)).toContain('no-ears')
  scenario.session.end('manual_stopped', false)
  await scenario.run(100)
  scenario.assertNoLeaks()
})

test('a voice that does not begin to speak in time is replaced, and the next utterances are not asked of it', async () => {
  const model = scriptedModel([says(LONG), says('Yes.')])
  const scenario = await startVoiceScenario({
    models: { main: model },
    voices: [{ script: [{ delayMs: Number.POSITIVE_INFINITY }] }, {}],
  })
  scenario.caller.sendText('When do you open?')
  await scenario.runUntil(() => scenario.entries('agent-message').some(({ kind }) => kind === 'reply'))
  expect(scenario.heardWords().join(' ')).toBe(LONG)
  scenario.caller.sendText('Really?')
  await scenario.runUntil(() => scenario.heardWords().at(-1) === 'Yes.')
  scenario.caller.hangUp()
  await scenario.run(20)
  expect(scenario.voices[0]?.requests).toHaveLength(1)
  scenario.assertNoLeaks()
})

test('an agent that opens is not opened twice by a caller who speaks over it', async () => {
  const model = scriptedModel([says('Hello, this is Ada, your assistant at the shop.'), says('At nine.')])
  const stt = scriptedTranscriber([{ text: 'Stop, when do you open?' }])
  const scenario = await startVoiceScenario({
    opening: { type: 'generate' },
    models: { main: model },
    transcribers: [stt.transcriber],
  })
  await scenario.runUntil(() => scenario.heardWords().length === 5)
  scenario.callerSpeaks(1_500)
  await scenario.runUntil(() => scenario.heardWords().at(-1) === 'nine.')
  const request = model.requests.at(-1)
  if (request === undefined) throw new Error('The model was not asked.')
  expect(promptTranscript(request)).toEqual([
    expect.stringMatching(/^assistant: Hello, this is Ada,( your)?( assistant)?$/),
    'user: Stop, when do you open?',
  ])
  expect(scenario.heardWords().filter((word) => word === 'Hello,')).toHaveLength(1)
  scenario.caller.hangUp()
  await scenario.run(20)
  stt.assertConsumed()
  model.assertConsumed()
  scenario.assertNoLeaks()
})
