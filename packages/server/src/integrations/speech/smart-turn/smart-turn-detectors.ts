import { accessSync, constants, statSync } from 'node:fs'
import type { LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import type { TurnDetector } from '@parley/engine/voice/ports'
import type { TurnDetectors } from '../../../features/calls/public.ts'
import { FairPool } from '../../fair-pool.ts'
import type { TurnAudio } from './smart-turn-protocol.ts'
import { type ModelThread, SmartTurnThread, startModelThread } from './smart-turn-thread.ts'

/** Maximum time that a call waits for an answer. */
const DEADLINE_MS = 1_000
/** Time after the deadline at which a thread counts as stalled. */
const STALL_MS = 5_000
/** Time without requests after which the model is unloaded. */
const IDLE_MS = 300_000
/** Maximum number of callers that wait. The deadline allows far fewer. */
const MAX_WAITING = 64
/** Number of failures in a row after which the model is no longer used. */
const MAX_FAILURES = 3
/** Number of late answers in a row that is logged, because the operator would not notice a machine that is too slow. */
const LOGGED_LATE_COUNT = 20
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

/** The turn detectors of this process, which share one thread. The model is loaded on demand and unloaded when it is not used. */
export class SmartTurnDetectors implements TurnDetectors {
  readonly #options: SmartTurnOptions
  readonly #pool: FairPool<SmartTurnThread, number | null>
  #lastCallerId = 0
  #failureCount = 0
  #lateCount = 0
  #isClosed = false

  constructor(options: SmartTurnOptions) {
    const { path, clock, startThread = startModelThread } = options
    this.#options = options
    const onLoadFailed = (reason: string): void => this.#disable(reason)
    const onFailed = (reason: string): void => this.#countFailure(reason)
    this.#pool = new FairPool({
      clock,
      maxWorkers: 1,
      idleMs: IDLE_MS,
      maxRunningPerGroup: 1,
      maxQueued: MAX_WAITING,
      maxQueuedPerGroup: 1,
      // Late work usually ends soon, so only a stalled thread is replaced. Loading has its own time limit.
      abandon: (thread) => (thread.isLoading ? () => {} : clock.after(STALL_MS, () => void thread.terminate())),
      shouldFinishCancelledWork: true,
      start: () => new SmartTurnThread({ clock, thread: startThread(path), onLoadFailed, onFailed }),
    })
  }

  /** Loads the model in advance, for a call that is about to start. */
  warmUp(): void {
    this.#pool.warmUp()
  }

  open(rateHz: LegRateHz): TurnDetector {
    this.warmUp()
    this.#lastCallerId += 1
    const group = `${this.#lastCallerId}`
    let cancelRequest = new AbortController()
    return {
      estimate: (samples) => {
        cancelRequest.abort()
        cancelRequest = new AbortController()
        return this.#estimate({ rateHz, samples }, { group, signal: cancelRequest.signal })
      },
      close: () => cancelRequest.abort(),
    }
  }

  /** Unloads the model. Open detectors no longer answer. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#pool.close()
  }

  #estimate(
    audio: TurnAudio,
    caller: { readonly group: string; readonly signal: AbortSignal },
  ): Promise<number | null> {
    const { clock, deadlineMs = DEADLINE_MS } = this.#options
    const dueAtMs = clock.now() + deadlineMs
    return this.#pool.run({
      ...caller,
      waitMs: deadlineMs,
      getTimeLimitMs: () => Math.max(0, dueAtMs - clock.now()),
      run: async (thread) => {
        const probability = await thread.estimate(audio)
        if (probability !== null) this.#failureCount = 0
        if (clock.now() < dueAtMs) this.#lateCount = 0
        return probability
      },
      createFailedOutcome: (failure) => {
        if (failure === 'wait-timeout' || failure === 'work-timeout') this.#countLateAnswer()
        return null
      },
    })
  }

  /** Stops using the model. The pool then answers all requests with null. */
  #disable(reason: string): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#options.logError(new Error(`The model of SMART_TURN_MODEL is not used: ${reason}`))
    void this.#pool.close()
  }

  #countFailure(reason: string): void {
    if (this.#isClosed) return
    this.#failureCount += 1
    if (this.#failureCount >= MAX_FAILURES) this.#disable(reason)
    else this.#options.logError(new Error(`The model of SMART_TURN_MODEL failed: ${reason}`))
  }

  #countLateAnswer(): void {
    this.#lateCount += 1
    if (this.#lateCount !== LOGGED_LATE_COUNT) return
    const reason = `${LOGGED_LATE_COUNT} answers in a row were late.`
    this.#options.logError(new Error(`The model of SMART_TURN_MODEL is too slow: ${reason}`))
  }
}
