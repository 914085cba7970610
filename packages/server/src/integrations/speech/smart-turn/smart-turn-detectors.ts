import { accessSync, constants, statSync } from 'node:fs'
import type { Clock } from '@parley/engine/ports'
import type { TurnDetector } from '@parley/engine/voice/ports'
import type { TurnDetectors } from '../../../features/calls/public.ts'
import { FairPool } from '../../fair-pool.ts'
import { type ModelThread, SmartTurnThread, startModelThread } from './smart-turn-thread.ts'

/** Maximum time that a call waits for an answer. */
const DEADLINE_MS = 300
/** Time after the deadline at which a thread counts as stalled. */
const STALL_MS = 5_000
/** Time without requests after which the model is unloaded. */
const IDLE_MS = 300_000
/** Maximum number of callers that wait. The deadline allows far fewer. */
const MAX_WAITING = 64
/** Number of failures in a row after which the model is no longer used. */
const MAX_FAILURES = 3
const MAX_FILE_BYTES = 512 * 1024 * 1024

/** Throws an error if the file of the model does not exist or cannot be read. */
export function checkModelFile(path: string): void {
  let sizeBytes: number
  try {
    accessSync(path, constants.R_OK)
    const stats = statSync(path)
    sizeBytes = stats.isFile() ? stats.size : 0
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new Error(`The file ${path} cannot be read${code}.`)
  }
  if (sizeBytes === 0 || sizeBytes > MAX_FILE_BYTES) throw new Error(`${path} is not the file of a model.`)
}

export interface SmartTurnOptions {
  /** The ONNX file. */
  readonly path: string
  readonly clock: Clock
  /** Logs failures of the model. Calls continue without it. */
  readonly logError: (error: unknown) => void
  readonly startThread?: (path: string) => ModelThread
  readonly deadlineMs?: number
}

/** Turn detectors that share one thread. */
export interface SmartTurnDetectors extends TurnDetectors {
  /** Loads the model in advance, for a call that is about to start. */
  warmUp(): void
  /** Unloads the model. Open detectors no longer answer. */
  close(): Promise<void>
}

/** Creates the turn detectors of this process. The model is loaded on demand and unloaded after five minutes without use. */
export function createSmartTurnDetectors(options: SmartTurnOptions): SmartTurnDetectors {
  const { path, clock, logError, startThread = startModelThread, deadlineMs = DEADLINE_MS } = options
  let isClosed = false
  let failureCount = 0
  let lastCallerId = 0

  /** Stops using the model. The pool then answers all requests with null. */
  function disable(reason: string): void {
    if (isClosed) return
    isClosed = true
    logError(new Error(`The model of SMART_TURN_MODEL is not used: ${reason}`))
    void pool.close()
  }

  function countFailure(reason: string): void {
    if (isClosed) return
    failureCount += 1
    if (failureCount >= MAX_FAILURES) disable(reason)
    else logError(new Error(`The model of SMART_TURN_MODEL failed: ${reason}`))
  }

  const pool: FairPool<SmartTurnThread, number | null> = new FairPool({
    clock,
    maxWorkers: 1,
    idleMs: IDLE_MS,
    maxRunningPerGroup: 1,
    maxQueued: MAX_WAITING,
    maxQueuedPerGroup: 1,
    // Late work usually ends soon, so only a stalled thread is replaced. Loading has its own time limit.
    abandon: (thread) => (thread.isLoading ? () => {} : clock.after(STALL_MS, () => void thread.terminate())),
    shouldFinishCancelledWork: true,
    start: () =>
      new SmartTurnThread({ clock, thread: startThread(path), onLoadFailed: disable, onFailed: countFailure }),
  })

  return {
    warmUp: () => pool.warmUp(),
    open(rateHz) {
      lastCallerId += 1
      const group = `${lastCallerId}`
      let cancelRequest = new AbortController()
      pool.warmUp()
      const detector: TurnDetector = {
        estimate(samples) {
          cancelRequest.abort()
          cancelRequest = new AbortController()
          const { signal } = cancelRequest
          const dueAtMs = clock.now() + deadlineMs
          return pool.run({
            group,
            signal,
            waitMs: deadlineMs,
            getTimeLimitMs: () => Math.max(0, dueAtMs - clock.now()),
            async run(thread) {
              const probability = await thread.estimate({ rateHz, samples })
              if (probability !== null) failureCount = 0
              return probability
            },
            createFailedOutcome: () => null,
          })
        },
        close: () => cancelRequest.abort(),
      }
      return detector
    },
    async close() {
      isClosed = true
      await pool.close()
    },
  }
}
