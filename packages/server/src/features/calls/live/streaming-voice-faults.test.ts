import { createScriptedModel, replyWith } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { findToneWords, type ToneWord } from '../../../../../../testing/speech-server/tone-words.ts'
import {
  RATE_HZ,
  type StreamingProvider,
  type StreamingVendors,
  startStreamingCall,
  startStreamingVendors,
  type VendorConnection,
} from './streaming-call-test-kit.ts'

const GREETING = 'This is the shop on the corner of the square.'
/** Neighboring words have different lengths, so their tones show which words were heard. */
const ANSWER = 'We can drive straight through or park here.'
/** Index of the word in which the voice fails. */
const BROKEN_WORD = 2
const MAX_GAP_MS = 2_500
const TONE_MS = 250
const LOUD = 400

interface Voice {
  readonly provider: StreamingProvider
  readonly vendorVoice: string
}

interface TestedVoice extends Voice {
  readonly name: string
  readonly fallback: Voice
  readonly hasWordTimes: boolean
  prepare?(vendors: StreamingVendors): void
  /** Makes the vendor send this much audio of the next texts, and nothing else. Null completes a text. */
  script(vendors: StreamingVendors, ...durationsMs: readonly (number | null)[]): void
}

const CARTESIA: Voice = { provider: 'cartesia', vendorVoice: 'katie' }
const ELEVENLABS: Voice = { provider: 'elevenlabs', vendorVoice: 'rachel' }
const scriptElevenLabs: TestedVoice['script'] = ({ elevenLabs }, ...durationsMs) =>
  elevenLabs.scriptSpeech(
    ...durationsMs.map((afterMs) =>
      afterMs === null ? ({ kind: 'speak' } as const) : ({ kind: 'stall', afterMs } as const),
    ),
  )
const scriptCartesia: TestedVoice['script'] = ({ cartesia }, ...durationsMs) =>
  cartesia.script(
    ...durationsMs.map((afterMs) =>
      afterMs === null ? ({ kind: 'normal' } as const) : ({ kind: 'stall', afterChunks: afterMs / 100 } as const),
    ),
  )
const scriptDeepgram: TestedVoice['script'] = ({ deepgram }, ...durationsMs) =>
  deepgram.scriptSpeech(
    ...durationsMs.map((afterMs) =>
      afterMs === null
        ? ({ kind: 'normal' } as const)
        : ({ kind: 'stall', afterBytes: (afterMs * RATE_HZ * 2) / 1_000 } as const),
    ),
  )

const VOICES: readonly TestedVoice[] = [
  {
    name: 'ElevenLabs (multi-context)',
    ...ELEVENLABS,
    fallback: CARTESIA,
    hasWordTimes: true,
    script: scriptElevenLabs,
  },
  {
    name: 'ElevenLabs (stream-input)',
    ...ELEVENLABS,
    fallback: CARTESIA,
    hasWordTimes: true,
    prepare: ({ elevenLabs }) => void elevenLabs.refusedPaths.set('/multi-stream-input', 400),
    script: scriptElevenLabs,
  },
  { name: 'Cartesia', ...CARTESIA, fallback: ELEVENLABS, hasWordTimes: true, script: scriptCartesia },
  {
    name: 'Deepgram Aura',
    provider: 'deepgram',
    vendorVoice: 'aura-2-thalia-en',
    fallback: CARTESIA,
    hasWordTimes: false,
    script: scriptDeepgram,
  },
  {
    name: 'Deepgram Flux',
    provider: 'deepgram',
    vendorVoice: 'flux-haley-en',
    fallback: ELEVENLABS,
    hasWordTimes: false,
    script: scriptDeepgram,
  },
]

interface Fault {
  readonly name: string
  /** Audio of the answer that the vendor sends. The third word lasts from 700 to 950 ms. */
  readonly afterMs: number
  /** Time of the fault after the first audio, which arrives all at once. */
  readonly atMs: number
  readonly strike: (connection: VendorConnection) => void
  /** Parts of words that the caller hears in addition. */
  readonly fragments: number
}

/** Failures in the middle of the third word, while its start is still queued or after the caller heard a part of it. */
const FAULTS: readonly Fault[] = [
  { name: 'breaks early', afterMs: 800, atMs: 100, strike: ({ drop }) => drop(), fragments: 0 },
  {
    name: 'sends garbage early',
    afterMs: 800,
    atMs: 100,
    strike: ({ send }) => send('}garbage{'),
    fragments: 0,
  },
  { name: 'breaks in a word', afterMs: 800, atMs: 1_000, strike: ({ drop }) => drop(), fragments: 1 },
  { name: 'closes late in a word', afterMs: 900, atMs: 1_000, strike: ({ close }) => close(1011), fragments: 0 },
  { name: 'falls silent in a word', afterMs: 800, atMs: 0, strike: () => undefined, fragments: 1 },
  { name: 'falls silent late in a word', afterMs: 900, atMs: 0, strike: () => undefined, fragments: 0 },
]

type Call = Awaited<ReturnType<typeof startStreamingCall>>

function listHeardWords(call: Call, fromMs: number): readonly ToneWord[] {
  return findToneWords({ samples: call.getHeardSamples(), rateHz: RATE_HZ }).filter(({ startMs }) => startMs >= fromMs)
}

function getLongestGapMs(words: readonly ToneWord[]): number {
  return words.reduce((longestMs, { startMs, durationMs }, index) => {
    const next = words[index + 1]
    return next === undefined ? longestMs : Math.max(longestMs, next.startMs - startMs - durationMs)
  }, 0)
}

function getConnection(vendors: StreamingVendors, provider: StreamingProvider): VendorConnection {
  const connection = vendors.listOpenConnections(provider).at(-1)
  if (connection === undefined) throw new Error('The vendor has no open connection.')
  return connection
}

/** Starts a call in which the voice has spoken before, so that it has an open connection. */
async function startCall(vendors: StreamingVendors, voice: TestedVoice, ...answer: readonly string[]) {
  voice.prepare?.(vendors)
  const { model } = createScriptedModel([replyWith(GREETING), replyWith(...answer)])
  const call = await startStreamingCall(vendors, { model, voices: [voice, voice.fallback] })
  call.caller.sendText('hello')
  await call.runUntil(() => call.listEntries('agent-message').length === 1)
  return call
}

/** Asks for the answer and waits for its first audio. Returns a function that waits for its end and returns what was heard. */
async function ask(call: Call): Promise<() => Promise<readonly ToneWord[]>> {
  const startMs = call.getElapsedMs()
  const startFrame = call.getLoudness().length
  call.caller.sendText('how do we get there')
  await call.runUntil(() =>
    call
      .getLoudness()
      .slice(startFrame)
      .some((level) => level > LOUD),
  )
  return async () => {
    await call.runUntil(() => call.listEntries('agent-message').length === 2)
    return listHeardWords(call, startMs)
  }
}

const getLengths = (text: string): readonly number[] => text.split(' ').map(({ length }) => length)

/** Checks that the caller heard the answer once, that the call knows its words, and that it reports one failure. */
function expectAnswer(call: Call, answer: string): void {
  const message = call.listEntries('agent-message')[1]
  expect(message).toMatchObject({ content: answer, interrupted: false })
  expect(message?.words.map(({ word }) => word).join(' ')).toBe(answer)
  const times = message?.words.flatMap(({ startMs, endMs }) => [startMs, endMs]) ?? []
  expect(times).toEqual(times.toSorted((left, right) => left - right))
  expect(call.listEntries('warning').map(({ code }) => code)).toEqual(['voice-failed'])
  expect(call.faults).toEqual([])
}

test.for(VOICES.flatMap((voice) => FAULTS.map((fault) => ({ voice, fault }))))(
  '$voice.name $fault.name: another voice continues after the words that were heard',
  async ({ voice, fault }) => {
    await using vendors = await startStreamingVendors()
    await using call = await startCall(vendors, voice, ANSWER)
    voice.script(vendors, fault.afterMs)
    const waitForEnd = await ask(call)
    await call.run(fault.atMs)
    fault.strike(getConnection(vendors, voice.provider))
    const heard = await waitForEnd()
    const words = heard.filter(({ durationMs }) => durationMs > TONE_MS / 2).map(({ letters }) => letters)
    expect(heard).toHaveLength(words.length + fault.fragments)
    expectAnswer(call, ANSWER)
    expect(getLongestGapMs(heard)).toBeLessThanOrEqual(MAX_GAP_MS)
    // Without word times, the first part of a word can count as the word.
    if (!voice.hasWordTimes && fault.fragments > 0 && words.length < getLengths(ANSWER).length)
      expect(words).toEqual(getLengths(ANSWER).toSpliced(BROKEN_WORD, 1))
    else expect(words).toEqual(getLengths(ANSWER))
  },
)

const FIRST_SENTENCE = 'It is not far from here.'

interface SilentFault {
  readonly name: string
  strike(vendors: StreamingVendors, provider: StreamingProvider): void
}

/** Failures before the first audio of a sentence, while the caller hears the sentence before. */
const EARLY_FAULTS: readonly SilentFault[] = [
  { name: 'falls silent', strike: () => undefined },
  {
    name: 'sends garbage and refuses connections',
    strike(vendors, provider) {
      vendors.setReachability(provider, 'refused')
      getConnection(vendors, provider).send('}garbage{')
    },
  },
  {
    name: 'breaks and refuses connections',
    strike(vendors, provider) {
      vendors.setReachability(provider, 'refused')
      getConnection(vendors, provider).drop()
    },
  },
  {
    name: 'breaks and cannot be reached',
    strike(vendors, provider) {
      vendors.setReachability(provider, 'silent')
      getConnection(vendors, provider).drop()
    },
  },
]

test.for(VOICES.flatMap((voice) => EARLY_FAULTS.map((fault) => ({ voice, fault }))))(
  '$voice.name $fault.name before a sentence: another voice speaks it',
  async ({ voice, fault }) => {
    await using vendors = await startStreamingVendors()
    await using call = await startCall(vendors, voice, `${FIRST_SENTENCE} `, ANSWER)
    voice.script(vendors, null, 0)
    const waitForEnd = await ask(call)
    await call.run(100)
    fault.strike(vendors, voice.provider)
    const heard = await waitForEnd()
    expect(heard.map(({ letters }) => letters)).toEqual(getLengths(`${FIRST_SENTENCE} ${ANSWER}`))
    expect(getLongestGapMs(heard)).toBeLessThanOrEqual(MAX_GAP_MS)
    expectAnswer(call, `${FIRST_SENTENCE} ${ANSWER}`)
  },
)
