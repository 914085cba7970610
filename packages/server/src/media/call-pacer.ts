import type { Clock } from '@parley/engine/ports'

/** Interval at which the pacer runs calls. */
export const PACER_TICK_MS = 5
/** Frames that are later cause audible gaps. */
const LATE_FRAME_MS = 20
/** Upper bounds of the lateness buckets. The last bucket has no upper bound. */
const LATENESS_BUCKETS_MS = [1, 2, 5, 10, LATE_FRAME_MS] as const
/** A larger difference means that the system time changed or the machine was suspended. */
const JUMP_MS = 10_000

export interface CallPacerStats {
  /** Number of ticks so far. */
  readonly ticks: number
  /** Number of ticks per lateness bucket. */
  readonly byLateness: readonly number[]
  /** Calls paced more than `LATE_FRAME_MS` late, summed over all ticks. */
  readonly lateFrames: number
  readonly worstLatenessMs: number
}

export interface CallPacerOptions {
  readonly clock: Clock
  /** Called once for each pump that throws. The pump stays active. */
  readonly logError: (error: unknown) => void
  /** Called once when the first call is added. */
  readonly onFirstCall?: () => void
}

interface Entry {
  readonly pump: (nowMs: number) => void
  hasFailed: boolean
}

/**
 * Paces all calls of the process with one timer. Ticks are scheduled at multiples of the interval, so delays do not add up.
 * Missed ticks are skipped, and pumps catch up on their own. The timer runs only while there are pumps.
 */
export class CallPacer {
  readonly #options: CallPacerOptions
  readonly #entries = new Set<Entry>()
  readonly #byLateness = Array.from({ length: LATENESS_BUCKETS_MS.length + 1 }, () => 0)
  #ticks = 0
  #lateFrames = 0
  #worstLatenessMs = 0
  #dueMs = 0
  #cancel: (() => void) | null = null
  #isFirstCallPending = true
  #isTicking = false

  constructor(options: CallPacerOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  /** Returns statistics since the process started. */
  getStats(): CallPacerStats {
    return {
      ticks: this.#ticks,
      byLateness: [...this.#byLateness],
      lateFrames: this.#lateFrames,
      worstLatenessMs: this.#worstLatenessMs,
    }
  }

  /** Calls `pump` every `PACER_TICK_MS`. Returns a function that stops the pump immediately. */
  add(pump: (nowMs: number) => void): () => void {
    const entry = { pump, hasFailed: false }
    this.#entries.add(entry)
    if (this.#isFirstCallPending) this.#options.onFirstCall?.()
    this.#isFirstCallPending = false
    // A running tick schedules the next tick.
    if (this.#cancel === null && !this.#isTicking) {
      this.#dueMs = this.#options.clock.now() + PACER_TICK_MS
      this.#scheduleTick()
    }
    return () => {
      this.#entries.delete(entry)
      if (this.#entries.size > 0) return
      this.#cancel?.()
      this.#cancel = null
    }
  }

  #scheduleTick(): void {
    const { clock } = this.#options
    const delayMs = Math.min(PACER_TICK_MS, Math.max(0, this.#dueMs - clock.now()))
    this.#cancel = clock.after(delayMs, () => this.#tick())
  }

  #tick(): void {
    const nowMs = this.#options.clock.now()
    const latenessMs = Math.max(0, nowMs - this.#dueMs)
    const hasJumped = Math.abs(nowMs - this.#dueMs) > JUMP_MS
    if (!hasJumped) this.#recordLateness(latenessMs)
    this.#isTicking = true
    // Iterates over a copy: added pumps start with the next tick, and removed pumps are skipped.
    for (const entry of [...this.#entries]) if (this.#entries.has(entry)) this.#runPump(entry, nowMs)
    this.#isTicking = false
    if (this.#entries.size === 0) {
      this.#cancel = null
      return
    }
    const elapsedTickMs = PACER_TICK_MS * (1 + Math.floor(latenessMs / PACER_TICK_MS))
    this.#dueMs = hasJumped ? nowMs + PACER_TICK_MS : this.#dueMs + elapsedTickMs
    this.#scheduleTick()
  }

  #recordLateness(latenessMs: number): void {
    this.#ticks += 1
    const bucket = LATENESS_BUCKETS_MS.findIndex((boundMs) => latenessMs <= boundMs)
    const index = bucket === -1 ? LATENESS_BUCKETS_MS.length : bucket
    this.#byLateness[index] = (this.#byLateness[index] ?? 0) + 1
    if (latenessMs > LATE_FRAME_MS) this.#lateFrames += this.#entries.size
    this.#worstLatenessMs = Math.max(this.#worstLatenessMs, latenessMs)
  }

  #runPump(entry: Entry, nowMs: number): void {
    try {
      entry.pump(nowMs)
    } catch (error) {
      if (!entry.hasFailed) this.#options.logError(error)
      entry.hasFailed = true
    }
  }
}
