import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { correlateEnvelopes } from '../../testing/speech-server/envelope.ts'
import type { SpeechReply } from '../../testing/speech-server/speech-reply.ts'
import { messagesIn } from '../full/call-scene.ts'
import { synthesizeWithWordTimes, toRecording } from '../full/web-call-scene.ts'
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

interface Fault {
  readonly name: string
  readonly reply: SpeechReply
  /** Replaces `reply` in transcription responses, which are shorter than audio. */
  readonly transcript?: SpeechReply
  readonly kind: string
}

/** Every failure of a speech vendor with the reason that the call reports. */
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
const TRANSCRIBERS = { first: 'openai/gpt-4o-mini-transcribe', second: 'speech/whisper-1' }

let scene: FaultScene
beforeAll(async () => {
  scene = await openFaultScene(VOICES)
})
afterAll(() => scene[Symbol.asyncDispose]())

interface Outcome {
  /** The call in which the provider failed. */
  readonly failedCall: CallTraces
  /** Agent speech that the caller heard. */
  readonly tones: number
  /** Number of requests to the failed vendor until the first reply and until the end of the call. */
  readonly requestCounts: readonly number[]
  /** A call after the provider recovered. */
  readonly recoveredCall: CallTraces
}

/** Asks two questions while part of a provider fails, and one in a new call after recovery. */
async function runWithFault(
  { name, reply, transcript = reply }: Fault,
  part: 'transcriber' | 'voice',
): Promise<Outcome> {
  const isVoice = part === 'voice'
  const vendor = isVoice ? scene.platformVendor : scene.workspaceVendor
  vendor.setFault(name, isVoice ? reply : transcript)
  const agentId = await scene.makeAgent(
    isVoice
      ? { voice_id: `voice_speech_${name}`, fallback_voice_ids: ['voice_openai_alloy'] }
      : { voice_id: 'voice_openai_alloy', boosted_keywords: [name] },
  )
  await using call = await callAgent(scene, agentId)
  await call.ask(0)
  const requestCounts = [vendor.count(name)]
  await call.ask(1)
  requestCounts.push(vendor.count(name))
  const failedCall = await call.finish()
  vendor.setFault(name, null)
  await using next = await callAgent(scene, agentId)
  await next.ask(0)
  return { failedCall, tones: countTones(call.client), requestCounts, recoveredCall: await next.finish() }
}

/** Runs all faults at once. Each test reads the outcome of one. */
function runAllFaults(part: 'transcriber' | 'voice'): (name: string) => Promise<Outcome> {
  const outcomes = new Map<string, Promise<Outcome>>()
  beforeAll(async () => {
    for (const fault of FAULTS) outcomes.set(fault.name, runWithFault(fault, part))
    await Promise.allSettled(outcomes.values())
  }, 90_000)
  return (name) => outcomes.get(name) ?? Promise.reject(new Error(`${name} was not played.`))
}

/** One warning in the call and one line in the log, without private data. */
function expectOneWarning({ warnings, logLines, streamed }: CallTraces, code: string, sentence: string): void {
  expect(warnings).toMatchObject([{ code, message: expect.stringContaining(sentence) }])
  const { message } = warnings[0] ?? {}
  expect(streamed.filter((event) => event.code === code)).toMatchObject([{ type: 'warning', message }])
  expect(logLines).toHaveLength(1)
  expect(logLines[0]).toContain(message)
  expect(`${message} ${logLines.join()}`).not.toMatch(SECRETS)
}

/** What each side understood, without repetitions. */
function expectConversation({ record }: CallTraces, turns: 1 | 2): void {
  expect(messagesIn(record, 'user-message')).toEqual(QUESTIONS.slice(0, turns))
  expect(messagesIn(record, 'agent-message')).toEqual(ANSWERS.slice(0, turns))
}

const wordsOf = (text: string): number => text.split(' ').length

describe('a recogniser', () => {
  const outcomeOf = runAllFaults('transcriber')

  test.each(FAULTS)('that $name: the next one takes over, and the first one gets the next call', async (fault) => {
    const { failedCall, requestCounts, recoveredCall, tones } = await outcomeOf(fault.name)
    expectConversation(failedCall, 2)
    expect(tones).toBe(wordsOf(ANSWERS.join(' ')))
    expectOneWarning(failedCall, 'recogniser-failed', `${TRANSCRIBERS.first} (${fault.kind}): `)
    expect(failedCall.callerWarnings).toEqual([])
    expect(failedCall.vendorsUsed.transcription).toEqual([TRANSCRIBERS.first, TRANSCRIBERS.second])
    expect(requestCounts[1]).toBe(requestCounts[0])
    expectConversation(recoveredCall, 1)
    expect(recoveredCall.vendorsUsed.transcription).toEqual([TRANSCRIBERS.first])
    expect([recoveredCall.warnings, recoveredCall.logLines, recoveredCall.callerWarnings]).toEqual([[], [], []])
  })
})

describe('a voice', () => {
  const outcomeOf = runAllFaults('voice')

  test.each(FAULTS)('that $name: the next one takes over, and the first one speaks in the next call', async (fault) => {
    const { failedCall, requestCounts, recoveredCall, tones } = await outcomeOf(fault.name)
    expectConversation(failedCall, 2)
    expect(Math.abs(tones - wordsOf(ANSWERS.join(' ')))).toBeLessThanOrEqual(1)
    expectOneWarning(failedCall, 'voice-failed', `speech/kokoro (${fault.kind}): `)
    expect(failedCall.callerWarnings).toEqual([])
    expect(failedCall.vendorsUsed.synthesis).toEqual(['speech/kokoro', 'openai/gpt-4o-mini-tts'])
    expect(requestCounts[1]).toBe(requestCounts[0])
    expectConversation(recoveredCall, 1)
    expect(recoveredCall.vendorsUsed.synthesis).toEqual(['speech/kokoro'])
    expect([recoveredCall.warnings, recoveredCall.logLines, recoveredCall.callerWarnings]).toEqual([[], [], []])
  })
})

test.concurrent('a connection that breaks once is made again, without a word of it', async () => {
  scene.workspaceVendor.setFault('breaks-once', { kind: 'refuse' }, 1)
  scene.platformVendor.setFault('breaks-once', { kind: 'refuse' }, 1)
  const settings = { voice_id: 'voice_speech_breaks-once', boosted_keywords: ['breaks-once'] }
  await using call = await callAgent(scene, await scene.makeAgent(settings))
  await call.ask(0)
  await call.ask(1)
  const traces = await call.finish()
  expectConversation(traces, 2)
  expect(traces.vendorsUsed).toEqual({ transcription: [TRANSCRIBERS.first], synthesis: ['speech/kokoro'] })
  expect(countTones(call.client)).toBe(wordsOf(ANSWERS.join(' ')))
  expect([traces.warnings, traces.logLines, traces.callerWarnings]).toEqual([[], [], []])
})

test.concurrent('with every provider gone the built-in voice speaks', async () => {
  scene.platformVendor.setFault('silent', { kind: 'wrong-key' })
  scene.workspaceVendor.setFault('ash', { kind: 'quota' })
  const settings = { voice_id: 'voice_speech_silent', fallback_voice_ids: ['voice_openai_ash'] }
  await using call = await callAgent(scene, await scene.makeAgent(settings))
  await call.ask(0)
  const heard = toRecording(call.client.frames, call.client.rateHz)
  const [spoken] = await synthesizeWithWordTimes([ANSWERS[0]], 'slt')
  expect(spoken && correlateEnvelopes(heard, spoken.recording)).toBeGreaterThan(0.9)
  await call.ask(1)
  const traces = await call.finish()
  expectConversation(traces, 2)
  expect(traces.warnings.map(({ message }) => message.split(':')[0])).toEqual([
    'speech/kokoro (unauthorized)',
    'openai/gpt-4o-mini-tts (rate-limited)',
  ])
  expect(traces.logLines).toHaveLength(2)
  expect(traces.logLines.join()).not.toMatch(SECRETS)
  expect(traces.callerWarnings).toEqual([])
})

test.concurrent('with nobody left who listens the caller is told, and writes or is recognised at the own end', async () => {
  scene.workspaceVendor.setFault('deaf', { kind: 'wrong-key' })
  scene.platformVendor.setFault('deaf', { kind: 'refuse' })
  await using call = await callAgent(scene, await scene.makeAgent({ boosted_keywords: ['deaf'] }))
  const { client } = call
  expect(client.joined.recognition).toBe('server')
  await client.speak(scene.questions[0]?.samples ?? new Int16Array(0))
  await client.waitForMessage('warning', ({ code }) => code === 'speech_not_recognised')
  const answered = (text: string) =>
    client.waitForMessage('caption', (caption) => caption.final && caption.text === text)
  client.type(QUESTIONS[0])
  await answered(ANSWERS[0])
  client.sendTranscript(QUESTIONS[1], 'own-1')
  await answered(ANSWERS[1])
  const traces = await call.finish()
  expectConversation(traces, 2)
  expect(traces.callerWarnings).toEqual(['speech_not_recognised'])
  expect(traces.warnings.map(({ message }) => message.split(':')[0])).toEqual([
    `${TRANSCRIBERS.first} (unauthorized)`,
    `${TRANSCRIBERS.second} (unavailable)`,
    // The last provider is tried once more.
    `${TRANSCRIBERS.second} (unavailable)`,
  ])
  expect(traces.logLines).toHaveLength(3)
  expect(traces.logLines.join()).not.toMatch(SECRETS)
})
