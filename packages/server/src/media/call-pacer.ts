import type { Clock } from '@parley/engine/ports'

/** Interval at which the pacer runs calls. */
export const PACER_TICK_MS = 5
/** Frames that are later than this cause audible gaps. */
const LATE_FRAME_MS = 20
/** Upper bounds of the lateness buckets. The last bucket has no upper bound. */
const LATENESS_BUCKETS_MS = [1, 2, 5, 10, LATE_FRAME_MS] as const
/** A larger difference means that the system time changed or the machine was suspended. */
const JUMP_MS = 10_000

export interface CallPacerStats {
  /** Number of ticks so far. */
  readonly ticks: number
  /** Number of ticks per lateness bucket. */
  readonly ticksByLateness: readonly number[]
  /** Calls paced more than `LATE_FRAME_MS` late, summed over all ticks. */
  readonly lateFrames: number
  readonly worstLatenessMs: number
}

export interface CallPacerOptions {
  readonly clock: Clock
  /** Called for the first error of each pump. The pump stays active. */
  readonly logError: (error: unknown) => void
  /** Called once when the first call is added. */
  readonly onFirstCall?: () => void
}

interface PumpEntry {
  readonly pump: (nowMs: number) => void
  hasFailed: boolean
}

/**
 * Paces all calls of the process with one timer. Ticks are scheduled at multiples of the interval, so delays do not add up.
 * Missed ticks are skipped, and pumps catch up on their own. The timer runs only while there are pumps.
 */
export class CallPacer {
  readonly #options: CallPacerOptions
  readonly #entries = new Set<PumpEntry>()
  readonly #ticksByLateness = Array.from({ length: LATENESS_BUCKETS_MS.length + 1 }, () => 0)
  #ticks = 0
  #lateFrames = 0
  #worstLatenessMs = 0
  #dueMs = 0
  #cancelTick: (() => void) | null = null
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
      ticksByLateness: [...this.#ticksByLateness],
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
    if (this.#cancelTick === null && !this.#isTicking) {
      this.#dueMs = this.#options.clock.now() + PACER_TICK_MS
      this.#scheduleTick()
    }
    return () => {
      this.#entries.delete(entry)
      if (this.#entries.size > 0) return
      this.#cancelTick?.()
      this.#cancelTick = null
    }
  }

  #scheduleTick(): void {
    const { clock } = this.#options
    const delayMs = Math.min(PACER_TICK_MS, Math.max(0, this.#dueMs - clock.now()))
    this.#cancelTick = clock.after(delayMs, () => this.#tick())
  }

  #tick(): void {
    const nowMs = this.#options.clock.now()
    const latenessMs = Math.max(0, nowMs - this.#dueMs)
    const hasJumped = Math.abs(nowMs - this.#dueMs) > JUMP_MS
    if (!hasJumped) this.#recordLateness(latenessMs)
    this.#isTicking = true
    // Iterates over a copy, so that added pumps start with the next tick. Removed pumps are skipped.
    for (const entry of [...this.#entries]) if (this.#entries.has(entry)) this.#runPump(entry, nowMs)
    this.#isTicking = false
    if (this.#entries.size === 0) {
      this.#cancelTick = null
      return
    }
    const advanceMs = PACER_TICK_MS * (1 + Math.floor(latenessMs / PACER_TICK_MS))
    this.#dueMs = hasJumped ? nowMs + PACER_TICK_MS : this.#dueMs + advanceMs
    this.#scheduleTick()
  }

  #recordLateness(latenessMs: number): void {
    this.#ticks += 1
    const bucketIndex = LATENESS_BUCKETS_MS.findIndex((boundMs) => latenessMs <= boundMs)
    const index = bucketIndex === -1 ? LATENESS_BUCKETS_MS.length : bucketIndex
    this.#ticksByLateness[index] = (this.#ticksByLateness[index] ?? 0) + 1
    if (latenessMs > LATE_FRAME_MS) this.#lateFrames += this.#entries.size
    this.#worstLatenessMs = Math.max(this.#worstLatenessMs, latenessMs)
  }

  #runPump(entry: PumpEntry, nowMs: number): void {
    try {
      entry.pump(nowMs)
    } catch (error) {
      if (!entry.hasFailed) this.#options.logError(error)
      entry.hasFailed = true
    }
  }
}
