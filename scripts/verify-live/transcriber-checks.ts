import type { Clock } from '../../packages/engine/src/ports.ts'
import type { Transcriber, TranscriberEvent } from '../../packages/engine/src/voice/ports.ts'
import { createFliteSynthesizer } from '../../packages/server/src/integrations/speech/flite/flite-synthesizer.ts'
import { type Check, CheckError, verify, WRONG_KEY } from './check.ts'
import { SENTENCE } from './spoken-texts.ts'
import { buildSpeechRequest, readSpeech } from './synthesizer-checks.ts'

export interface TranscriberAccess {
  /** Start of the names of the checks, for vendors with several transcribers. */
  readonly label: string
  readonly apiKey: string
  readonly clock: Clock
  /** Time between two frames of 20 ms. */
  readonly frameIntervalMs: number
  readonly getSpokenSentence: () => Promise<Int16Array>
  /** Estimated cost of 5 seconds of audio. */
  readonly sentenceUsd: number
  create(apiKey: string): Transcriber
}

const RATE_HZ = 16_000
const FRAME_SAMPLES = 320
const LEAD_FRAMES = 15
/** The engine reports voice this many frames after its start or end. */
const DETECTION_FRAMES = 3
const END_FRAMES = 25
/** Time for the final text after the voice. Transcribers for streams use a part of it to detect the end. */
const MAX_TRAILING_MS = 10_000
const MIN_RECOGNIZED_RATIO = 0.6

/** Creates the checks that apply to every transcriber. A built-in voice speaks, so they need no other vendor. */
export function createTranscriberChecks(access: TranscriberAccess): readonly Check[] {
  const { label, apiKey, sentenceUsd } = access
  const transcribe = async (transcriber: Transcriber, signal: AbortSignal): Promise<TranscriberEvent> =>
    transcribeSpeech(access, transcriber, await access.getSpokenSentence(), signal)
  return [
    {
      name: `${label}: a spoken sentence becomes a final text with its words`,
      costUsd: sentenceUsd,
      run: async (signal) => {
        const event = await transcribe(access.create(apiKey), signal)
        if (event.type === 'failed') throw new CheckError(describeFailure(event))
        verify(event.type === 'final', 'There was no final text.')
        const ratio = measureRecognizedRatio(event.text)
        verify(ratio >= MIN_RECOGNIZED_RATIO, `Only ${Math.round(ratio * 100)} % of the words were recognized.`)
      },
    },
    {
      name: `${label}: a wrong key is reported as unauthorized`,
      costUsd: 0,
      run: async (signal) => {
        const event = await transcribe(access.create(WRONG_KEY), signal)
        verify(event.type === 'failed', 'The request did not fail.')
        verify(event.failure.kind === 'unauthorized', `The failure is "${event.failure.kind}".`)
      },
    },
  ]
}

function describeFailure({ failure }: Extract<TranscriberEvent, { type: 'failed' }>): string {
  return `The transcription failed (${failure.kind}): ${failure.message}`
}

function measureRecognizedRatio(text: string): number {
  const splitWords = (value: string): string[] => value.toLowerCase().match(/\p{L}+/gu) ?? []
  const recognizedWords = new Set(splitWords(text))
  const words = splitWords(SENTENCE)
  return words.filter((word) => recognizedWords.has(word)).length / words.length
}

/** Plays the speech at the pace of a call. Returns the first final text or failure. */
async function transcribeSpeech(
  { clock, frameIntervalMs }: TranscriberAccess,
  transcriber: Transcriber,
  speech: Int16Array,
  signal: AbortSignal,
): Promise<TranscriberEvent> {
  let outcome: TranscriberEvent | null = null
  const session = transcriber.open({
    rateHz: RATE_HZ,
    language: 'en-US',
    keywords: [],
    onEvent: (event) => {
      if (event.type !== 'interim' && !(event.type === 'final' && event.text === '')) outcome ??= event
    },
  })
  try {
    const speechEndFrame = LEAD_FRAMES + Math.ceil(speech.length / FRAME_SAMPLES)
    const startMs = clock.now()
    let endMs = Number.POSITIVE_INFINITY
    for (let index = 0; outcome === null && clock.now() < endMs; index += 1) {
      const offset = (index - LEAD_FRAMES) * FRAME_SAMPLES
      const frame = new Int16Array(FRAME_SAMPLES)
      if (offset >= 0) frame.set(speech.subarray(offset, offset + FRAME_SAMPLES))
      session.push(frame)
      if (index === LEAD_FRAMES + DETECTION_FRAMES) session.voiceStarted()
      if (index === speechEndFrame) endMs = clock.now() + MAX_TRAILING_MS
      if (index === speechEndFrame + END_FRAMES) session.voiceEnded()
      // Relative to the start, so that a late timer does not delay all further frames.
      await wait(clock, startMs + (index + 1) * frameIntervalMs - clock.now())
      signal.throwIfAborted()
    }
    if (outcome === null) throw new CheckError('There was no final text within 10 seconds.')
    return outcome
  } finally {
    session.close()
  }
}

/** Passes the audio frame by frame at the pace of a call. */
export async function pushPaced(
  { clock, frameIntervalMs }: Pick<TranscriberAccess, 'clock' | 'frameIntervalMs'>,
  samples: Int16Array,
  push: (frame: Int16Array) => void,
  signal: AbortSignal,
): Promise<void> {
  const startMs = clock.now()
  for (let index = 0; index * FRAME_SAMPLES < samples.length; index += 1) {
    push(samples.slice(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES))
    await wait(clock, startMs + (index + 1) * frameIntervalMs - clock.now())
    signal.throwIfAborted()
  }
}

/** Speaks `SENTENCE` with a built-in voice at 16 kHz. */
export async function speakSentence(clock: Clock): Promise<Int16Array> {
  const { signal } = new AbortController()
  const synthesizer = createFliteSynthesizer({ clock, logError: () => undefined, threads: 1 })
  try {
    return (await readSpeech(synthesizer.synthesize(buildSpeechRequest(SENTENCE, 'slt', signal)))).samples
  } finally {
    await synthesizer.close()
  }
}

function wait(clock: Clock, durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(Math.max(0, durationMs), resolve)
  })
}
