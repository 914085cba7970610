import type { Clock } from '../ports.ts'

/** A clock that advances only on request. */
export interface ManualClock {
  readonly clock: Clock
  /** Advances time, runs due timers in order, and runs promise callbacks before, between and after them. */
  advance(durationMs: number): Promise<void>
  /** Returns the number of active timers, which is 0 if none leaked. */
  countPendingTimers(): number
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

/** Number of microtask turns, sufficient for the longest chain of awaits in the engine. */
const FLUSH_TURNS = 200

/** Runs all pending promise callbacks. */
export async function flushPromises(): Promise<void> {
  for (let turn = 0; turn < FLUSH_TURNS; turn += 1) await Promise.resolve()
}

/** Creates a clock that starts at `startMs`, by default Monday, 2026-01-05T12:00:00Z. */
export function createManualClock(startMs = Date.UTC(2026, 0, 5, 12)): ManualClock {
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
  const findNextTimer = (untilMs: number): Timer | null => {
    let nextTimer: Timer | null = null
    for (const timer of timers) {
      if (timer.dueMs <= untilMs && (nextTimer === null || timer.dueMs < nextTimer.dueMs)) nextTimer = timer
    }
    return nextTimer
  }
  const advance = async (durationMs: number): Promise<void> => {
    const untilMs = nowMs + durationMs
    await flushPromises()
    for (let timer = findNextTimer(untilMs); timer !== null; timer = findNextTimer(untilMs)) {
      timers.delete(timer)
      nowMs = timer.dueMs
      timer.callback()
      await flushPromises()
    }
    nowMs = untilMs
    await flushPromises()
  }
  return { clock, advance, countPendingTimers: () => timers.size }
}

/** Resolves after `delayMs` or when the signal is aborted. A finite delay requires `clock`. */
export function waitFor(delayMs: number, signal: AbortSignal, clock: Clock | undefined): Promise<void> {
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
    if (clock === undefined) throw new Error('A delay requires a clock.')
    cancel = clock.after(delayMs, finish)
  })
}
