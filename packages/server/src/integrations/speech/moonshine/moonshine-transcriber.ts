import type { Clock } from '@parley/engine/ports'
import type { Transcriber } from '@parley/engine/voice/ports'
import { MoonshineProcess } from './moonshine-process.ts'
import { MoonshineSession } from './moonshine-session.ts'
import { RecognitionScheduler } from './recognition-scheduler.ts'

export interface MoonshineTranscriberOptions {
  readonly clock: Clock
  /** Logs failures of the process. Errors never quote a text. */
  readonly logError: (error: unknown) => void
  readonly idleMs?: number
  readonly maxWaiting?: number
}

/** Built-in speech recognition, which needs no vendor. */
export interface MoonshineTranscriber extends Transcriber {
  /** Whether the model supports the language. It hears other languages as English. */
  supports(language: string): boolean
  /** Starts the process in advance, so that the next call is transcribed without delay. */
  warmUp(): void
  /** ID of the running process, or undefined. */
  readonly processId: number | undefined
  close(): Promise<void>
}

/** Estimate for an idle core: 80 ms of quiet, an interim text of 300 ms that is running, and 400 ms for the final text. */
const FINAL_P99_MS = 700
/** Every voice gets a final text. On an overloaded machine it took more than 3 s, and interim texts lack the last words. */
const FINAL_LIMIT_MS = 5_000
const IDLE_MS = 60_000
const MAX_WAITING = 200
const START_LIMIT_MS = 60_000
const WORK_LIMIT_MS = 15_000

/** Creates the built-in speech recognition for English. Its process starts with `warmUp` or the first call. */
export function createMoonshineTranscriber(options: MoonshineTranscriberOptions): MoonshineTranscriber {
  const { clock, logError, idleMs = IDLE_MS, maxWaiting = MAX_WAITING } = options
  const scheduler = new RecognitionScheduler({
    clock,
    logError,
    idleMs,
    maxWaiting,
    startLimitMs: START_LIMIT_MS,
    workLimitMs: WORK_LIMIT_MS,
    startProcess: () => new MoonshineProcess(),
  })
  return {
    name: 'builtin/moonshine-tiny',
    finalP99Ms: FINAL_P99_MS,
    finalLimitMs: FINAL_LIMIT_MS,
    punctuatesFragments: true,
    supports: (language) => /^en(?:-|$)/i.test(language),
    open: (session) => new MoonshineSession(scheduler, clock, session),
    warmUp: () => scheduler.warmUp(),
    get processId() {
      return scheduler.processId
    },
    close: () => scheduler.close(),
  }
}
