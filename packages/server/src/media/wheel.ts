import type { Clock } from '@parley/engine/ports'

/** Milliseconds between two looks at the calls of this process. */
export const WHEEL_TICK_MS = 5
/** A frame that leaves later than this is heard. */
const LATE_FRAME_MS = 20
/** Upper bounds of the classes that lateness is counted in; what is above the last has a class of its own. */
const LATENESS_CLASSES_MS = [1, 2, 5, 10, LATE_FRAME_MS] as const
/** More than this, in either direction, is no lateness: somebody set the time of day, or the machine slept. */
const JUMP_MS = 10_000

export interface WheelFigures {
  /** How often the wheel turned. */
  readonly ticks: number
  /** Turns by how late they were: a count for each of `LATENESS_CLASSES_MS`, and one for what was later. */
  readonly byLateness: readonly number[]
  /** Calls that were paced more than `LATE_FRAME_MS` too late, summed over all turns. */
  readonly lateFrames: number
  readonly worstLatenessMs: number
}

/** One timer that paces all calls of a process. */
export interface Wheel {
  /** Calls `pump` every `WHEEL_TICK_MS`, the first time after one; the returned function ends that, at once and for good. */
  add(pump: (nowMs: number) => void): () => void
  /** What is paced now. */
  readonly size: number
  /** Since the process started. */
  figures(): WheelFigures
}

export interface WheelOptions {
  readonly clock: Clock
  /** Told once of each pump that threw; it is called again all the same. */
  readonly logError: (error: unknown) => void
  /** Told once, when the first call of the process is paced. */
  readonly onFirst?: () => void
}

interface Entry {
  readonly pump: (nowMs: number) => void
  failed: boolean
}

/**
 * Turns are due at multiples of the tick since the first one, so that no delay of a timer adds up. Turns that were missed are
 * not made up for: pumps are told the time and catch up as they see fit. No timer runs while there is nobody to pace.
 */
export function createWheel({ clock, logError, onFirst }: WheelOptions): Wheel {
  const entries = new Set<Entry>()
  const byLateness = Array.from({ length: LATENESS_CLASSES_MS.length + 1 }, () => 0)
  let ticks = 0
  let lateFrames = 0
  let worstLatenessMs = 0
  let dueMs = 0
  let cancel: (() => void) | null = null
  let isNew = true
  let isTurning = false

  function count(latenessMs: number): void {
    ticks += 1
    const place = LATENESS_CLASSES_MS.findIndex((boundMs) => latenessMs <= boundMs)
    const index = place === -1 ? LATENESS_CLASSES_MS.length : place
    byLateness[index] = (byLateness[index] ?? 0) + 1
    if (latenessMs > LATE_FRAME_MS) lateFrames += entries.size
    worstLatenessMs = Math.max(worstLatenessMs, latenessMs)
  }

  function turn(): void {
    const nowMs = clock.now()
    const latenessMs = Math.max(0, nowMs - dueMs)
    const jumped = Math.abs(nowMs - dueMs) > JUMP_MS
    if (!jumped) count(latenessMs)
    isTurning = true
    // Those of this moment: who is added meanwhile begins with the next turn, and who is removed has none left.
    for (const entry of [...entries]) if (entries.has(entry)) run(entry, nowMs)
    isTurning = false
    if (entries.size === 0) {
      cancel = null
      return
    }
    dueMs = jumped ? nowMs + WHEEL_TICK_MS : dueMs + WHEEL_TICK_MS * (1 + Math.floor(latenessMs / WHEEL_TICK_MS))
    wait()
  }

  function wait(): void {
    const delayMs = Math.min(WHEEL_TICK_MS, Math.max(0, dueMs - clock.now()))
    cancel = clock.after(delayMs, turn)
  }

  function run(entry: Entry, nowMs: number): void {
    try {
      entry.pump(nowMs)
    } catch (error) {
      if (!entry.failed) logError(error)
      entry.failed = true
    }
  }

  return {
    add(pump) {
      const entry = { pump, failed: false }
      entries.add(entry)
      if (isNew) onFirst?.()
      isNew = false
      // A turn that is under way waits for the next one itself.
      if (cancel === null && !isTurning) {
        dueMs = clock.now() + WHEEL_TICK_MS
        wait()
      }
      return () => {
        entries.delete(entry)
        if (entries.size > 0) return
        cancel?.()
        cancel = null
      }
    },
    get size() {
      return entries.size
    },
    figures: () => ({ ticks, byLateness: [...byLateness], lateFrames, worstLatenessMs }),
  }
}
