import type {
  SpeechEvent,
  SpeechFailure,
  SpeechRequest,
  Synthesizer,
  TimedWord,
} from '../../packages/engine/src/voice/ports.ts'
import { SampleBuffer } from '../../packages/server/src/integrations/speech/sample-buffer.ts'
import { type Check, CheckError, verify, WRONG_KEY } from './check.ts'
import { LONG_SENTENCE, SENTENCE, SHORT_SENTENCE } from './spoken-texts.ts'

export interface SynthesizerAccess {
  readonly apiKey: string
  readonly voice: string
  /** Estimated cost of a sentence. */
  readonly sentenceUsd: number
  readonly hasWordTimes: boolean
  /** Voice ID in the vendor's format that does not exist. */
  readonly unknownVoice: string
  create(apiKey: string): Synthesizer
}

export interface Speech {
  readonly samples: Int16Array
  readonly words: readonly TimedWord[]
}

/** Bounds of the duration of `SENTENCE` in any voice. */
const MIN_SENTENCE_SECONDS = 1
const MAX_SENTENCE_SECONDS = 8
/** Root mean square of quiet speech. Silence and noise are far below. */
const MIN_LEVEL = 100
/** Tolerance of word times, which vendors round. */
const WORD_TOLERANCE_MS = 250
const CANCEL_LIMIT_MS = 2_000

/** Builds a request for speech. */
export function buildSpeechRequest(
  text: string,
  voice: string,
  signal: AbortSignal,
  overrides: Partial<SpeechRequest> = {},
): SpeechRequest {
  const defaults = { model: null, language: 'en-US', rateHz: 16_000, speed: 1, temperature: 1, emotion: null } as const
  return { text, voice, signal, ...defaults, ...overrides }
}

/** Reads speech to its end. Throws if the vendor failed. */
export async function readSpeech(stream: AsyncIterable<SpeechEvent>): Promise<Speech> {
  const samples = new SampleBuffer(MAX_SENTENCE_SECONDS * 16_000)
  const words: TimedWord[] = []
  let hasEnded = false
  for await (const event of stream) {
    if (event.type === 'failed')
      throw new CheckError(`The speech failed (${event.failure.kind}): ${event.failure.message}`)
    if (event.type === 'audio') samples.append(event.samples)
    if (event.type === 'words') words.push(...event.words)
    hasEnded = event.type === 'end'
  }
  verify(hasEnded, 'The speech had no end.')
  return { samples: samples.getSamples(), words }
}

/** Returns the failure of a request that must fail. */
export async function readFailure(stream: AsyncIterable<SpeechEvent>): Promise<SpeechFailure> {
  for await (const event of stream) if (event.type === 'failed') return event.failure
  throw new CheckError('The request did not fail.')
}

/** Creates the checks that apply to every voice. */
export function createSynthesizerChecks(access: SynthesizerAccess): readonly Check[] {
  const { apiKey, voice, sentenceUsd, hasWordTimes } = access
  const speak = (text: string, signal: AbortSignal, overrides: Partial<SpeechRequest> = {}): Promise<Speech> =>
    readSpeech(access.create(apiKey).synthesize(buildSpeechRequest(text, voice, signal, overrides)))
  const checks: readonly Check[] = [
    ...([16_000, 8_000] as const).map((rateHz) => ({
      name: `speech at ${rateHz} Hz has a plausible length and level`,
      costUsd: sentenceUsd,
      run: async (signal: AbortSignal) => verifyAudio((await speak(SENTENCE, signal, { rateHz })).samples, rateHz),
    })),
    {
      name: 'a cancelled text ends without another event, and the next text is spoken',
      costUsd: 3 * sentenceUsd,
      run: async (signal) => verifyCancellation(access, signal),
    },
    {
      name: 'a wrong key is reported as unauthorized for voices',
      costUsd: 0,
      run: async (signal) => {
        const request = buildSpeechRequest(SHORT_SENTENCE, voice, signal)
        const { kind } = await readFailure(access.create(WRONG_KEY).synthesize(request))
        verify(kind === 'unauthorized', `The failure is "${kind}".`)
      },
    },
    {
      name: 'an unknown voice is reported as rejected',
      costUsd: 0,
      run: async (signal) => {
        const request = buildSpeechRequest(SHORT_SENTENCE, access.unknownVoice, signal)
        const { kind } = await readFailure(access.create(apiKey).synthesize(request))
        verify(kind === 'rejected', `The failure is "${kind}".`)
      },
    },
  ]
  if (!hasWordTimes) return checks
  const wordCheck: Check = {
    name: 'word times match the text, ascend and lie within the audio',
    costUsd: sentenceUsd,
    run: async (signal) => verifyWords(await speak(SENTENCE, signal), SENTENCE),
  }
  return [...checks, wordCheck]
}

function verifyAudio(samples: Int16Array, rateHz: number): void {
  const seconds = samples.length / rateHz
  verify(
    seconds >= MIN_SENTENCE_SECONDS && seconds <= MAX_SENTENCE_SECONDS,
    `The sentence has ${seconds.toFixed(2)} seconds of audio.`,
  )
  const level = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
  verify(level >= MIN_LEVEL, `The level of the audio is only ${Math.round(level)}.`)
}

/** Checks that the words join to the text, and that their times fit the audio at 16 kHz. */
function verifyWords({ samples, words }: Speech, text: string): void {
  const normalize = (value: string): string => value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const spokenText = words.map((word) => word.text).join('')
  verify(normalize(spokenText) === normalize(text), `The ${words.length} words do not join to the text.`)
  const durationMs = samples.length / 16
  let previousStartMs = 0
  for (const { startMs, endMs } of words) {
    verify(startMs >= previousStartMs && endMs >= startMs, 'The word times do not ascend.')
    previousStartMs = startMs
  }
  const lastEndMs = words.at(-1)?.endMs ?? 0
  verify(
    lastEndMs > durationMs / 3 && lastEndMs <= durationMs + WORD_TOLERANCE_MS,
    `The last word ends at ${Math.round(lastEndMs)} of ${Math.round(durationMs)} ms.`,
  )
}

async function verifyCancellation(access: SynthesizerAccess, signal: AbortSignal): Promise<void> {
  const synthesizer = access.create(access.apiKey)
  const controller = new AbortController()
  let cancelledAtMs: number | null = null
  const request = buildSpeechRequest(LONG_SENTENCE, access.voice, AbortSignal.any([controller.signal, signal]))
  for await (const event of synthesizer.synthesize(request)) {
    verify(cancelledAtMs === null, 'An event arrived after the cancellation.')
    verify(event.type !== 'failed' && event.type !== 'end', 'The speech ended before its first audio.')
    if (event.type !== 'audio') continue
    cancelledAtMs = performance.now()
    controller.abort()
  }
  verify(cancelledAtMs !== null, 'No audio arrived.')
  verify(performance.now() - cancelledAtMs < CANCEL_LIMIT_MS, 'The stream ended too late.')
  const next = await readSpeech(synthesizer.synthesize(buildSpeechRequest(SENTENCE, access.voice, signal)))
  verifyAudio(next.samples, 16_000)
}
