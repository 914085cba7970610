import { availableParallelism } from 'node:os'
import type { Clock } from '@parley/engine/ports'
import type { SpeechRequest, Synthesizer, TimedWord } from '@parley/engine/voice/ports'
import { SpeechStream } from '../speech-stream.ts'
import { FlitePool, FliteThread } from './flite-pool.ts'
import { FLITE_VOICES, type FliteVoice } from './flite-protocol.ts'
import { splitParts } from './flite-text.ts'

export interface FliteSynthesizerOptions {
  readonly clock: Clock
  /** Logs failures. Errors never quote a text. */
  readonly logError: (error: unknown) => void
  readonly threads?: number
  readonly maxQueued?: number
  readonly deadlineMs?: number
  readonly idleMs?: number
}

/** Built-in voices, which need no vendor. */
export interface FliteSynthesizer extends Synthesizer {
  /** Whether the voices support the language. Texts in other languages are pronounced like English. */
  supports(language: string): boolean
  /** Starts a thread in advance, so that the next text is spoken without delay. */
  warmUp(): void
  /** Number of running threads. */
  readonly threadCount: number
  close(): Promise<void>
}

/** Each thread handles about thirty concurrent calls. The other cores remain available for calls. */
const MAX_THREADS = 4
const MAX_QUEUED = 500
const DEADLINE_MS = 10_000
const IDLE_MS = 120_000
const DEFAULT_VOICE: FliteVoice = 'slt'

/** Creates the built-in voices. Threads start on demand. The default voice replaces unknown voices. */
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
    warmUp: () => pool.warmUp(),
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
  #spokenSampleCount = 0
  #partStartMs = 0
  #cancelPart = (): void => {}

  constructor(pool: FlitePool, request: SpeechRequest) {
    this.#pool = pool
    this.#request = request
    this.#parts = splitParts(request.text)
    this.stream = new SpeechStream(request.signal, {
      onStart: () => this.#speakNextPart(),
      onCancel: () => this.#cancelPart(),
    })
  }

  #speakNextPart(): void {
    const text = this.#parts.shift()
    if (text === undefined) {
      this.stream.push({ type: 'end' })
      return
    }
    const { voice, rateHz, speed } = this.#request
    this.#partStartMs = (this.#spokenSampleCount / rateHz) * 1000
    this.#cancelPart = this.#pool.enqueue(
      { text, rateHz, speed, voice: FLITE_VOICES.find((name) => name === voice) ?? DEFAULT_VOICE },
      {
        onEvent: (event) => {
          if (event.type === 'words') this.stream.push({ type: 'words', words: event.words.map(this.#shiftWord) })
          else {
            this.#spokenSampleCount += event.samples.length
            this.stream.push(event)
          }
        },
        onEnd: (failure) => {
          if (failure !== null) this.stream.push({ type: 'failed', failure })
          else if (!this.stream.isEnded) this.#speakNextPart()
        },
      },
    )
  }

  readonly #shiftWord = ({ text, startMs, endMs }: TimedWord): TimedWord => {
    const offsetMs = Math.round(this.#partStartMs)
    return { text, startMs: startMs + offsetMs, endMs: endMs + offsetMs }
  }
}
