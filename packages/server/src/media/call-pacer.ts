import type { Clock } from '@parley/engine/ports'

/** Milliseconds between two looks at the calls of this process. */
export const PACER_TICK_MS = 5
/** A frame that leaves later than this is heard. */
const LATE_FRAME_MS = 20
/** Upper bounds of the classes that lateness is counted in; what is above the last has a class of its own. */
const LATENESS_BUCKETS_MS = [1, 2, 5, 10, LATE_FRAME_MS] as const
/** More than this, in either direction, is no lateness: somebody set the time of day, or the machine slept. */
const JUMP_MS = 10_000

export interface CallPacerStats {
  /** How often the wheel turned. */
  readonly ticks: number
  /** Turns by how late they were: a count for each of `LATENESS_BUCKETS_MS`, and one for what was later. */
  readonly byLateness: readonly number[]
  /** Calls that were paced more than `LATE_FRAME_MS` too late, summed over all turns. */
  readonly lateFrames: number
  readonly worstLatenessMs: number
}

/** One timer that paces all calls of a process. */
export interface CallPacer {
  /** Calls `pump` every `PACER_TICK_MS`, the first time after one; the returned function ends that, at once and for good. */
  add(pump: (nowMs: number) => void): () => void
  /** What is paced now. */
  readonly size: number
  /** Since the process started. */
  stats(): CallPacerStats
}

export interface CallPacerOptions {
  readonly clock: Clock
  /** Told once of each pump that threw; it is called again all the same. */
  readonly logError: (error: unknown) => void
  /** Told once, when the first call of the process is paced. */
  readonly onFirstCall?: () => void
}

interface Entry {
  readonly pump: (nowMs: number) => void
  failed: boolean
}

/**
 * Turns are due at multiples of the tick since the first one, so that no delay of a timer adds up. Turns that were missed are
 * not made up for: pumps are told the time and catch up as they see fit. No timer runs while there is nobody to pace.
 */
export function createCallPacer(options: CallPacerOptions): CallPacer {
  return new IntervalPacer(options)
}

class IntervalPacer implements CallPacer {
  readonly #options: CallPacerOptions
  readonly #entries = new Set<Entry>()
  readonly #byLateness = Array.from({ length: LATENESS_BUCKETS_MS.length + 1 }, () => 0)
  #ticks = 0
  #lateFrames = 0
  #worstLatenessMs = 0
  #dueMs = 0
  #cancel: (() => void) | null = null
  #isNew = true
  #isTicking = false

  constructor(options: CallPacerOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  stats(): CallPacerStats {
    return {
      ticks: this.#ticks,
      byLateness: [...this.#byLateness],
      lateFrames: this.#lateFrames,
      worstLatenessMs: this.#worstLatenessMs,
    }
  }

  add(pump: (nowMs: number) => void): () => void {
    const entry = { pump, failed: false }
    this.#entries.add(entry)
    if (this.#isNew) this.#options.onFirstCall?.()
    this.#isNew = false
    // A turn that is under way waits for the next one itself.
    if (this.#cancel === null && !this.#isTicking) {
      this.#dueMs = this.#options.clock.now() + PACER_TICK_MS
      this.#wait()
    }
    return () => {
      this.#entries.delete(entry)
      if (this.#entries.size > 0) return
      this.#cancel?.()
      this.#cancel = null
    }
  }

  #wait(): void {
    const { clock } = this.#options
    const delayMs = Math.min(PACER_TICK_MS, Math.max(0, this.#dueMs - clock.now()))
    this.#cancel = clock.after(delayMs, () => this.#tick())
  }

  #tick(): void {
    const nowMs = this.#options.clock.now()
    const latenessMs = Math.max(0, nowMs - this.#dueMs)
    const hasJumped = Math.abs(nowMs - this.#dueMs) > JUMP_MS
    if (!hasJumped) this.#count(latenessMs)
    this.#isTicking = true
    // Those of this moment: who is added meanwhile starts with the next turn, and who is removed has none left.
    for (const entry of [...this.#entries]) if (this.#entries.has(entry)) this.#run(entry, nowMs)
    this.#isTicking = false
    if (this.#entries.size === 0) {
      this.#cancel = null
      return
    }
    const passed = PACER_TICK_MS * (1 + Math.floor(latenessMs / PACER_TICK_MS))
    this.#dueMs = hasJumped ? nowMs + PACER_TICK_MS : this.#dueMs + passed
    this.#wait()
  }

  #count(latenessMs: number): void {
    this.#ticks += 1
    const place = LATENESS_BUCKETS_MS.findIndex((boundMs) => latenessMs <= boundMs)
    const index = place === -1 ? LATENESS_BUCKETS_MS.length : place
    this.#byLateness[index] = (this.#byLateness[index] ?? 0) + 1
    if (latenessMs > LATE_FRAME_MS) this.#lateFrames += this.#entries.size
    this.#worstLatenessMs = Math.max(this.#worstLatenessMs, latenessMs)
  }

  #run(entry: Entry, nowMs: number): void {
    try {
      entry.pump(nowMs)
    } catch (error) {
      if (!entry.failed) this.#options.logError(error)
      entry.failed = true
    }
  }
}
