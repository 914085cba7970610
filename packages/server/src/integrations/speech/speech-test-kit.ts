import type {
  RecognitionHints,
  SpeechEvent,
  SpeechFailure,
  SpeechRequest,
  TimedWord,
  Transcriber,
  TranscriberEvent,
  TranscriberSession,
} from '@parley/engine/voice/ports'
import type { Dispatcher } from 'undici'
import type { SpeechNetwork } from './speech-endpoints.ts'

/** Fails the test on an unexpected error. */
export function failOnError(error: unknown): never {
  throw error
}

/** Builds a speech request with overrides. */
export function buildSpeechRequest(text: string, overrides: Partial<SpeechRequest> = {}): SpeechRequest {
  return {
    text,
    voice: 'slt',
    model: null,
    language: 'en-US',
    rateHz: 16_000,
    speed: 1,
    temperature: 1,
    emotion: null,
    signal: new AbortController().signal,
    ...overrides,
  }
}

/** The outcome of speaking a text. */
export interface SpeechResult {
  readonly samples: Int16Array
  readonly words: readonly TimedWord[]
  /** The last event, or null if the stream ended without one. */
  readonly outcome: 'end' | SpeechFailure | null
  readonly events: readonly SpeechEvent[]
}

/** Reads a stream to its end. */
export async function collectSpeech(stream: AsyncIterable<SpeechEvent>): Promise<SpeechResult> {
  const events: SpeechEvent[] = []
  for await (const event of stream) events.push(event)
  const chunks = events.flatMap((event) => (event.type === 'audio' ? [event.samples] : []))
  const samples = new Int16Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const chunk of chunks) {
    samples.set(chunk, offset)
    offset += chunk.length
  }
  const lastEvent = events.at(-1)
  return {
    samples,
    words: events.flatMap((event) => (event.type === 'words' ? event.words : [])),
    outcome: lastEvent?.type === 'end' ? 'end' : lastEvent?.type === 'failed' ? lastEvent.failure : null,
    events,
  }
}

/** A caller whose audio is sent to a transcriber frame by frame. */
export interface TestTranscription {
  readonly session: TranscriberSession
  readonly events: readonly TranscriberEvent[]
  push(samples: Int16Array): void
  pushSilence(durationMs: number): void
  /** Resolves after a number of events. */
  waitForEvents(count: number): Promise<readonly TranscriberEvent[]>
}

/** Opens a transcriber at 16 kHz. */
export function openTranscription(
  transcriber: Transcriber,
  keywords: readonly string[] = [],
  { language = 'en-US', endpointingMs = null }: Partial<Omit<RecognitionHints, 'keywords'>> = {},
): TestTranscription {
  const events: TranscriberEvent[] = []
  const watchers = new Set<() => void>()
  const session = transcriber.open({
    rateHz: 16_000,
    ...{ language, keywords, endpointingMs },
    onEvent: (event) => {
      events.push(event)
      for (const watcher of watchers) watcher()
    },
  })
  // Reuses one buffer, so that code fails if it keeps audio without copying.
  const frame = new Int16Array(320)
  const push = (samples: Int16Array): void => {
    for (let offset = 0; offset < samples.length; offset += frame.length) {
      frame.fill(0)
      frame.set(samples.subarray(offset, offset + frame.length))
      session.push(frame)
    }
  }
  return {
    session,
    events,
    push,
    pushSilence: (durationMs) => push(new Int16Array(durationMs * 16)),
    waitForEvents: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (events.length < count) return
          watchers.delete(check)
          resolve(events)
        }
        watchers.add(check)
        check()
      }),
  }
}

/** Creates a network whose HTTP client is the given one, and which opens no sockets. */
export function createHttpNetwork(http: Dispatcher): SpeechNetwork {
  return { http, openSocket: async () => ({ ok: false, reason: 'network', message: 'No sockets.', status: null }) }
}
