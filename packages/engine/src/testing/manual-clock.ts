import type { Clock } from '../ports.ts'

/** A clock that moves only when a test says so. */
export interface ManualClock {
  readonly clock: Clock
  /** Moves time on, runs what falls due in order and lets promises settle before, between and after. */
  advance(durationMs: number): Promise<void>
  /** Timers that wait; 0 when nothing was left behind. */
  pendingTimers(): number
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

/** Enough turns of the microtask queue for the longest chain of awaits in the engine. */
const SETTLE_TURNS = 200

/** Lets everything that waits for settled promises run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1) await Promise.resolve()
}

/** Starts at a fixed moment (2026-01-05T12:00:00Z, a Monday) unless told otherwise. */
export function manualClock(startMs = Date.UTC(2026, 0, 5, 12)): ManualClock {
  const timers = new Set<Timer>()
  let nowMs = startMs
  const clock: Clock = {
    now: () => nowMs,
    after: (delayMs, callback) => {
      const timer = { dueMs: nowMs + Math.max(0, delayMs), callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  const nextDue = (untilMs: number): Timer | null => {
    let next: Timer | null = null
    for (const timer of timers) {
      if (timer.dueMs <= untilMs && (next === null || timer.dueMs < next.dueMs)) next = timer
    }
    return next
  }
  const advance = async (durationMs: number): Promise<void> => {
    const untilMs = nowMs + durationMs
    await settle()
    for (let timer = nextDue(untilMs); timer !== null; timer = nextDue(untilMs)) {
      timers.delete(timer)
      nowMs = timer.dueMs
      timer.callback()
      await settle()
    }
    nowMs = untilMs
    await settle()
  }
  return { clock, advance, pendingTimers: () => timers.size }
}
