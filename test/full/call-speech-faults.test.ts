import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { envelopeCorrelation } from '../../testing/speech-server/envelope.ts'
import type { SpeechReply } from '../../testing/speech-server/speech-reply.ts'
import { wordsIn } from './call-scene.ts'
import {
  ANSWERS,
  type CallTraces,
  callAgent,
  countTones,
  type FaultScene,
  openFaultScene,
  QUESTIONS,
  SECRETS,
} from './speech-fault-scene.ts'
import { soundOf, speakWithWords } from './web-call-scene.ts'

interface Fault {
  readonly name: string
  readonly reply: SpeechReply
  /** In place of `reply` where a transcript is asked for, which is shorter than sound. */
  readonly transcript?: SpeechReply
  readonly kind: string
}

/** Every way in which a provider can let a call down, and as what it is told. */
const FAULTS: readonly Fault[] = [
  { name: 'hangs', reply: { kind: 'hang' }, kind: 'timeout' },
  { name: 'stalls-before', reply: { kind: 'stall', afterBytes: 0 }, kind: 'timeout' },
  {
    name: 'stalls-within',
    reply: { kind: 'stall', afterBytes: 24_000 },
    transcript: { kind: 'stall', afterBytes: 130 },
    kind: 'timeout',
  },
  {
    name: 'half-closes',
    reply: { kind: 'half-close', afterBytes: 24_000 },
    transcript: { kind: 'half-close', afterBytes: 130 },
    kind: 'unavailable',
  },
  {
    name: 'resets',
    reply: { kind: 'reset', afterBytes: 24_000 },
    transcript: { kind: 'reset', afterBytes: 130 },
    kind: 'unavailable',
  },
  { name: 'refuses', reply: { kind: 'refuse' }, kind: 'unavailable' },
  { name: 'garbage', reply: { kind: 'garbage' }, kind: 'protocol' },
  { name: 'html', reply: { kind: 'html' }, kind: 'protocol' },
  { name: 'wrong-key', reply: { kind: 'wrong-key' }, kind: 'unauthorized' },
  { name: 'quota', reply: { kind: 'quota', retryAfterSeconds: 30 }, kind: 'rate-limited' },
  { name: 'floods', reply: { kind: 'flood', sizeBytes: 10 * 1024 * 1024 }, kind: 'protocol' },
  { name: 'is-down', reply: { kind: 'json', status: 503, body: {} }, kind: 'unavailable' },
]
const VOICES = [...FAULTS.map(({ name }) => name), 'breaks-once', 'silent']
const RECOGNISERS = { first: 'openai/gpt-4o-mini-transcribe', second: 'speech/whisper-1' }

let scene: FaultScene
beforeAll(async () => {
  scene = await openFaultScene(VOICES)
})
afterAll(() => scene[Symbol.asyncDispose]())

interface Outcome {
  /** The call in which the provider failed. */
  readonly during: CallTraces
  /** Of the agent, as the caller heard it. */
  readonly tones: number
  /** Requests to the one that failed: by the first answer, and by the end of the call. */
  readonly asked: readonly number[]
  /** A call after the provider was well again. */
  readonly after: CallTraces
}

/** Two questions while one part of a provider has this fault, and one in a new call when it is well again. */
async function play({ name, reply, transcript = reply }: Fault, part: 'recogniser' | 'voice'): Promise<Outcome> {
  const isVoice = part === 'voice'
  const provider = isVoice ? scene.operators : scene.openAi
  provider.setFault(name, isVoice ? reply : transcript)
  const agentId = await scene.makeAgent(
    isVoice
      ? { voice_id: `voice_speech_${name}`, fallback_voice_ids: ['voice_openai_alloy'] }
      : { voice_id: 'voice_openai_alloy', boosted_keywords: [name] },
  )
  await using call = await callAgent(scene, agentId)
  await call.ask(0)
  const asked = [provider.count(name)]
  await call.ask(1)
  asked.push(provider.count(name))
  const during = await call.finish()
  provider.setFault(name, null)
  await using next = await callAgent(scene, agentId)
  await next.ask(0)
  return { during, tones: countTones(call.client), asked, after: await next.finish() }
}

/** Plays all faults at once; what became of each is asked for by its test. */
function playAll(part: 'recogniser' | 'voice'): (name: string) => Promise<Outcome> {
  const outcomes = new Map<string, Promise<Outcome>>()
  beforeAll(async () => {
    for (const fault of FAULTS) outcomes.set(fault.name, play(fault, part))
    await Promise.allSettled(outcomes.values())
  }, 90_000)
  return (name) => outcomes.get(name) ?? Promise.reject(new Error(`${name} was not played.`))
}

/** One warning in the call, one line in the log, and nothing in them that is nobody's business. */
function expectOneWarning({ warnings, logged, streamed }: CallTraces, code: string, sentence: string): void {
  expect(warnings).toMatchObject([{ code, message: expect.stringContaining(sentence) }])
  const { message } = warnings[0] ?? {}
  expect(streamed.filter((event) => event.code === code)).toMatchObject([{ type: 'warning', message }])
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain(message)
  expect(`${message} ${logged.join()}`).not.toMatch(SECRETS)
}

/** What both understood of each other, each thing once. */
function expectConversation({ record }: CallTraces, turns: 1 | 2): void {
  expect(wordsIn(record, 'user-message')).toEqual(QUESTIONS.slice(0, turns))
  expect(wordsIn(record, 'agent-message')).toEqual(ANSWERS.slice(0, turns))
}

const wordsOf = (text: string): number => text.split(' ').length

describe('a recogniser', () => {
  const outcomeOf = playAll('recogniser')

  test.each(FAULTS)('that $name: the next one hears the call on, and the first one the next call', async (fault) => {
    const { during, asked, after, tones } = await outcomeOf(fault.name)
    expectConversation(during, 2)
    expect(tones).toBe(wordsOf(ANSWERS.join(' ')))
    expectOneWarning(during, 'recogniser-failed', `${RECOGNISERS.first} (${fault.kind}): `)
    expect(during.shown).toEqual([])
    expect(during.used.transcription).toEqual([RECOGNISERS.first, RECOGNISERS.second])
    expect(asked[1]).toBe(asked[0])
    expectConversation(after, 1)
    expect(after.used.transcription).toEqual([RECOGNISERS.first])
    expect([after.warnings, after.logged, after.shown]).toEqual([[], [], []])
  })
})

describe('a voice', () => {
  const outcomeOf = playAll('voice')

  test.each(FAULTS)('that $name: the next one speaks on, and the first one in the next call', async (fault) => {
    const { during, asked, after, tones } = await outcomeOf(fault.name)
    expectConversation(during, 2)
    expect(Math.abs(tones - wordsOf(ANSWERS.join(' ')))).toBeLessThanOrEqual(1)
    expectOneWarning(during, 'voice-failed', `speech/kokoro (${fault.kind}): `)
    expect(during.shown).toEqual([])
    expect(during.used.synthesis).toEqual(['speech/kokoro', 'openai/gpt-4o-mini-tts'])
    expect(asked[1]).toBe(asked[0])
    expectConversation(after, 1)
    expect(after.used.synthesis).toEqual(['speech/kokoro'])
    expect([after.warnings, after.logged, after.shown]).toEqual([[], [], []])
  })
})

test.concurrent('a connection that breaks once is made again, without a word of it', async () => {
  scene.openAi.setFault('breaks-once', { kind: 'refuse' }, 1)
  scene.operators.setFault('breaks-once', { kind: 'refuse' }, 1)
  const settings = { voice_id: 'voice_speech_breaks-once', boosted_keywords: ['breaks-once'] }
  await using call = await callAgent(scene, await scene.makeAgent(settings))
  await call.ask(0)
  await call.ask(1)
  const traces = await call.finish()
  expectConversation(traces, 2)
  expect(traces.used).toEqual({ transcription: [RECOGNISERS.first], synthesis: ['speech/kokoro'] })
  expect(countTones(call.client)).toBe(wordsOf(ANSWERS.join(' ')))
  expect([traces.warnings, traces.logged, traces.shown]).toEqual([[], [], []])
})

test.concurrent('with every provider gone the built-in voice speaks', async () => {
  scene.operators.setFault('silent', { kind: 'wrong-key' })
  scene.openAi.setFault('ash', { kind: 'quota' })
  const settings = { voice_id: 'voice_speech_silent', fallback_voice_ids: ['voice_openai_ash'] }
  await using call = await callAgent(scene, await scene.makeAgent(settings))
  await call.ask(0)
  const heard = soundOf(call.client.frames, call.client.rateHz)
  const [spoken] = await speakWithWords([ANSWERS[0]], 'slt')
  expect(spoken && envelopeCorrelation(heard, spoken.recording)).toBeGreaterThan(0.9)
  await call.ask(1)
  const traces = await call.finish()
  expectConversation(traces, 2)
  expect(traces.warnings.map(({ message }) => message.split(':')[0])).toEqual([
    'speech/kokoro (unauthorized)',
    'openai/gpt-4o-mini-tts (rate-limited)',
  ])
  expect(traces.logged).toHaveLength(2)
  expect(traces.logged.join()).not.toMatch(SECRETS)
  expect(traces.shown).toEqual([])
})

test.concurrent('with nobody left who listens the caller is told, and writes or is recognised at the own end', async () => {
  scene.openAi.setFault('deaf', { kind: 'wrong-key' })
  scene.operators.setFault('deaf', { kind: 'refuse' })
  await using call = await callAgent(scene, await scene.makeAgent({ boosted_keywords: ['deaf'] }))
  const { client } = call
  expect(client.joined.recognition).toBe('server')
  await client.speak(scene.questions[0]?.samples ?? new Int16Array(0))
  await client.heard('warning', ({ code }) => code === 'speech_not_recognised')
  const answered = (text: string) => client.heard('caption', (said) => said.final && said.text === text)
  client.type(QUESTIONS[0])
  await answered(ANSWERS[0])
  client.recognise(QUESTIONS[1], 'own-1')
  await answered(ANSWERS[1])
  const traces = await call.finish()
  expectConversation(traces, 2)
  expect(traces.shown).toEqual(['speech_not_recognised'])
  expect(traces.warnings.map(({ message }) => message.split(':')[0])).toEqual([
    `${RECOGNISERS.first} (unauthorized)`,
    `${RECOGNISERS.second} (unavailable)`,
    // The last one is asked once more.
    `${RECOGNISERS.second} (unavailable)`,
  ])
  expect(traces.logged).toHaveLength(3)
  expect(traces.logged.join()).not.toMatch(SECRETS)
})
