import type { Clock } from '../ports.ts'

/** A clock that advances only on request. */
export interface ManualClock {
  readonly clock: Clock
  /** Advances time, running due timers in order and settling promises before, between and after. */
  advance(durationMs: number): Promise<void>
  /** Returns the number of active timers, which is 0 if none leaked. */
  pendingTimers(): number
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

/** Number of microtask turns, sufficient for the longest chain of awaits in the engine. */
const SETTLE_TURNS = 200

/** Runs all pending promise callbacks. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1) await Promise.resolve()
}

/** Creates a clock that starts at `startMs`, by default Monday, 2026-01-05T12:00:00Z. */
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

/** Resolves after `delayMs` or when the signal is aborted. A finite delay requires `clock`. */
export function pause(delayMs: number, signal: AbortSignal, clock: Clock | undefined): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    let cancel = (): void => {}
    const finish = (): void => {
      cancel()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    signal.addEventListener('abort', finish, { once: true })
    if (!Number.isFinite(delayMs)) return
    if (clock === undefined) throw new Error('A delay needs a clock.')
    cancel = clock.after(delayMs, finish)
  })
}
