import { expect, test } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { failsWith, says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { startVoiceWorld, toldConversation } from '../../testing/voice-world.ts'

const GREETING = 'Hello, this is Ada. How can I help you?'
const LONG = 'We are open from nine in the morning until six in the evening, from Monday to Friday.'

test('a call with an opening, a turn, a "mhm" that disturbs nobody, and an interruption', async () => {
  const model = scriptedModel([says(LONG), says('Yes, on Saturdays until noon.')])
  const ears = scriptedTranscriber([
    { text: 'When do you open?' },
    { text: 'mhm', interims: [{ afterMs: 250, text: 'mhm', stable: true }] },
    { text: 'No wait, what about Saturday?' },
  ])
  const world = await startVoiceWorld({
    opening: { type: 'say', text: GREETING },
    models: { main: model },
    transcribers: [ears.transcriber],
  })
  await world.runUntil(() => world.entries('agent-message').length === 1)
  world.callerSpeaks(1_500)
  await world.runUntil(() => world.heardWords().length === 8 + 6)
  world.callerSpeaks(300)
  await world.runUntil(() => world.heardWords().includes('evening,'))
  await world.run(250)
  expect(world.entries('agent-message')).toHaveLength(1)
  world.callerSpeaks(1_500)
  await world.runUntil(() => world.entries('agent-message').length === 3)

  const messages = world.entries('agent-message')
  expect(messages.map(({ interrupted }) => interrupted)).toEqual([false, true, false])
  expect(messages[1]?.content).toMatch(/^We are open from nine .* evening,/)
  expect(messages[1]?.content).not.toContain('Friday')
  expect(world.entries('user-message').map(({ content }) => content)).toEqual([
    'When do you open?',
    'No wait, what about Saturday?',
  ])
  const told = model.requests.at(-1)
  if (told === undefined) throw new Error('The model was not asked.')
  expect(toldConversation(told)).toEqual([
    `assistant: ${GREETING}`,
    'user: When do you open?',
    `assistant: ${messages[1]?.content}`,
    'user: No wait, what about Saturday?',
  ])
  world.caller.hangUp()
  await world.run(100)
  expect(world.outcome()).toMatchObject({ reason: 'user_hangup' })
  model.assertConsumed()
  ears.assertConsumed()
  world.assertNothingLeft()
})

test('a model that hangs: something is said meanwhile, then the next model answers, and the question stands once in the history', async () => {
  const time = manualClock()
  const main = scriptedModel([{ events: [{ type: 'hang' }] }], { clock: time.clock })
  const spare = scriptedModel([says('We open at nine.')])
  const world = await startVoiceWorld({
    time,
    models: { main, spare },
    conversation: { fallbackModels: ['spare'] },
  })
  world.caller.sendText('When do you open?')
  await world.runUntil(() => world.heardWords().includes('nine.'))
  expect(world.elapsedMs()).toBeLessThan(12_000)
  expect(spare.requests.map(toldConversation)).toEqual([['user: When do you open?']])
  await world.runUntil(() => world.entries('agent-message').some(({ kind }) => kind === 'reply'))
  expect(world.entries('agent-message').map(({ kind }) => kind)).toEqual(['filler', 'reply'])
  expect(world.entries('user-message')).toHaveLength(1)
  expect(world.session.transcript()).toEqual([
    { role: 'user', content: 'When do you open?' },
    { role: 'agent', content: 'We open at nine.' },
  ])
  world.caller.hangUp()
  await world.run(20)
  world.assertNothingLeft()
})

test('when no model answers, a sentence stands in for the answer', async () => {
  const failure = { retryable: false, kind: 'rejected' } as const
  const main = scriptedModel([failsWith(failure), failsWith(failure)])
  const world = await startVoiceWorld({ models: { main } })
  world.caller.sendText('When do you open?')
  await world.runUntil(() => world.entries('agent-message').length > 0)
  expect(world.entries('agent-message')).toMatchObject([
    { kind: 'fallback', content: 'I am sorry, something went wrong.', turnId: 'turn_1' },
  ])
  world.session.end('manual_stopped', false)
  await world.run(20)
  expect(world.entries('turn')[0]?.latency).not.toBeNull()
  world.assertNothingLeft()
})

test('what is said from outside is heard, recorded and remembered', async () => {
  const world = await startVoiceWorld({})
  world.session.say('Your taxi is waiting.', true)
  await world.runUntil(() => world.entries('agent-message').length === 1)
  expect(world.entries('agent-message')).toMatchObject([
    { kind: 'say', content: 'Your taxi is waiting.', turnId: null },
  ])
  expect(world.session.transcript()).toEqual([{ role: 'agent', content: 'Your taxi is waiting.' }])
  world.session.end('manual_stopped', true)
  await world.run(20)
  expect(world.outcome()).toMatchObject({ reason: 'manual_stopped' })
  world.assertNothingLeft()
})

test('a caller without echo cancellation: the agent is not stopped by its own voice', async () => {
  const model = scriptedModel([says(LONG)])
  const world = await startVoiceWorld({ models: { main: model }, leg: { cancelsEcho: false }, echo: 0.2 })
  world.caller.sendText('When do you open?')
  await world.runUntil(() => world.entries('agent-message').length === 1)
  expect(world.entries('agent-message')).toMatchObject([{ content: LONG, interrupted: false }])
  expect(world.heardWords().join(' ')).toBe(LONG)
})

test.each([
  ['from the beginning', false],
  ['when that turns out', true],
])('noise of a caller whose speech nobody understands does not hold up the agent, %s', async (_, recognizesSpeech) => {
  const model = scriptedModel([says('At nine.')])
  const world = await startVoiceWorld({
    opening: { type: 'say', text: GREETING },
    models: { main: model },
    leg: { recognizesSpeech },
  })
  await world.runUntil(() => world.heardWords().length === 2)
  world.callerSpeaks(20_000)
  if (recognizesSpeech) {
    await world.run(1_000)
    expect(world.heardWords().length).toBeLessThan(5)
    world.caller.failRecognition()
  }
  await world.run(4_000)
  expect(world.heardWords().join(' ')).toContain('How can I help you?')
  world.caller.sendText('When do you open?')
  await world.run(2_000)
  expect(world.heardWords().slice(-2)).toEqual(['At', 'nine.'])
  expect(world.entries('warning').map(({ code }) => code)).toContain('no-ears')
  world.session.end('manual_stopped', false)
  await world.run(100)
  world.assertNothingLeft()
})

test('a voice that does not begin to speak in time is replaced, and the next utterances are not asked of it', async () => {
  const model = scriptedModel([says(LONG), says('Yes.')])
  const world = await startVoiceWorld({
    models: { main: model },
    voices: [{ script: [{ delayMs: Number.POSITIVE_INFINITY }] }, {}],
  })
  world.caller.sendText('When do you open?')
  await world.runUntil(() => world.entries('agent-message').some(({ kind }) => kind === 'reply'))
  expect(world.heardWords().join(' ')).toBe(LONG)
  world.caller.sendText('Really?')
  await world.runUntil(() => world.heardWords().at(-1) === 'Yes.')
  world.caller.hangUp()
  await world.run(20)
  expect(world.voices[0]?.requests).toHaveLength(1)
  world.assertNothingLeft()
})

test('an agent that opens is not opened twice by a caller who speaks over it', async () => {
  const model = scriptedModel([says('Hello, this is Ada, your assistant at the shop.'), says('At nine.')])
  const ears = scriptedTranscriber([{ text: 'Stop, when do you open?' }])
  const world = await startVoiceWorld({
    opening: { type: 'generate' },
    models: { main: model },
    transcribers: [ears.transcriber],
  })
  await world.runUntil(() => world.heardWords().length === 5)
  world.callerSpeaks(1_500)
  await world.runUntil(() => world.heardWords().at(-1) === 'nine.')
  const told = model.requests.at(-1)
  if (told === undefined) throw new Error('The model was not asked.')
  expect(toldConversation(told)).toEqual([
    expect.stringMatching(/^assistant: Hello, this is Ada,( your)?( assistant)?$/),
    'user: Stop, when do you open?',
  ])
  expect(world.heardWords().filter((word) => word === 'Hello,')).toHaveLength(1)
  world.caller.hangUp()
  await world.run(20)
  ears.assertConsumed()
  model.assertConsumed()
  world.assertNothingLeft()
})
