import { availableParallelism } from 'node:os'
import type { Clock } from '@parley/engine/ports'
import type { SpeechRequest, Synthesizer, TimedWord } from '@parley/engine/voice/ports'
import { SpeechStream } from '../speech-stream.ts'
import { FlitePool, FliteThread } from './flite-pool.ts'
import { FLITE_VOICES, type FliteVoice } from './flite-protocol.ts'
import { splitParts } from './flite-text.ts'

export interface FliteSynthesizerOptions {
  readonly clock: Clock
  /** Receives failures of the voices, without quoting a text. */
  readonly logError: (error: unknown) => void
  readonly threads?: number
  readonly maxQueued?: number
  readonly deadlineMs?: number
  readonly idleMs?: number
}

/** Voices that need no vendor. */
export interface FliteSynthesizer extends Synthesizer {
  /** Whether the language is supported. Other texts are read like English. */
  supports(language: string): boolean
  /** Starts a thread before an expected text. */
  warm(): void
  /** Number of running threads. */
  readonly threadCount: number
  close(): Promise<void>
}

/** Each thread handles about thirty concurrent calls. Other cores are left for the calls themselves. */
const MAX_THREADS = 4
const MAX_QUEUED = 500
const DEADLINE_MS = 10_000
const IDLE_MS = 120_000
const DEFAULT_VOICE: FliteVoice = 'slt'

/** Creates the built-in voices. Their threads start with the first text. An unknown voice falls back to the default voice. */
export function createFliteSynthesizer(options: FliteSynthesizerOptions): FliteSynthesizer {
  const pool = new FlitePool({
    clock: options.clock,
    maxThreads: options.threads ?? Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1)),
    maxQueued: options.maxQueued ?? MAX_QUEUED,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    idleMs: options.idleMs ?? IDLE_MS,
    startThread: (onFailure) => new FliteThread(onFailure),
    logError: options.logError,
  })
  return {
    name: 'builtin/flite',
    supports: (language) => /^en(?:-|$)/i.test(language),
    synthesize: (request) => new FliteSpeech(pool, request).stream,
    warm: () => pool.warm(),
    get threadCount() {
      return pool.threadCount
    },
    close: () => pool.close(),
  }
}

/** One text, synthesized in consecutive parts. */
class FliteSpeech {
  readonly stream: SpeechStream
  readonly #pool: FlitePool
  readonly #request: SpeechRequest
  readonly #parts: string[]
  #spokenSamples = 0
  #partStartMs = 0
  #drop = (): void => {}

  constructor(pool: FlitePool, request: SpeechRequest) {
    this.#pool = pool
    this.#request = request
    this.#parts = splitParts(request.text)
    this.stream = new SpeechStream(request.signal, { start: () => this.#next(), canceled: () => this.#drop() })
  }

  #next(): void {
    const text = this.#parts.shift()
    if (text === undefined) {
      this.stream.push({ type: 'end' })
      return
    }
    const { voice, rateHz, speed } = this.#request
    this.#partStartMs = (this.#spokenSamples / rateHz) * 1000
    this.#drop = this.#pool.enqueue(
      { text, rateHz, speed, voice: FLITE_VOICES.find((known) => known === voice) ?? DEFAULT_VOICE },
      {
        event: (event) => {
          if (event.type === 'words') this.stream.push({ type: 'words', words: event.words.map(this.#place) })
          else {
            this.#spokenSamples += event.samples.length
            this.stream.push(event)
          }
        },
        ended: (failure) => {
          if (failure !== null) this.stream.push({ type: 'failed', failure })
          else if (!this.stream.isEnded) this.#next()
        },
      },
    )
  }

  readonly #place = ({ text, startMs, endMs }: TimedWord): TimedWord => {
    const fromMs = Math.round(this.#partStartMs)
    return { text, startMs: startMs + fromMs, endMs: endMs + fromMs }
  }
}
