import type { Clock } from '@parley/engine/ports'

/** A clock that only moves when a test advances it. */
export interface SteppedClock extends Clock {
  /** Advances time and runs due timers in order. */
  advance(byMs: number): void
  /** Resolves when a timer with exactly this delay is waiting. */
  waitForTimer(delayMs: number): Promise<void>
  /** Number of waiting timers; 0 if all timers have been released. */
  readonly timerCount: number
}

interface Timer {
  readonly dueMs: number
  readonly delayMs: number
  readonly callback: () => void
}

/** Creates a clock that starts at `startMs`. */
export function createSteppedClock(startMs = 1_700_000_000_000): SteppedClock {
  let nowMs = startMs
  const timers = new Set<Timer>()
  const watchers = new Set<{ readonly delayMs: number; readonly resolve: () => void }>()
  const findNextTimer = (untilMs: number): Timer | undefined =>
    [...timers].filter((timer) => timer.dueMs <= untilMs).sort((left, right) => left.dueMs - right.dueMs)[0]
  return {
    now: () => nowMs,
    after: (delayMs, callback) => {
      const timer = { dueMs: nowMs + delayMs, delayMs, callback }
      timers.add(timer)
      for (const watcher of watchers) {
        if (watcher.delayMs !== delayMs) continue
        watchers.delete(watcher)
        watcher.resolve()
      }
      return () => timers.delete(timer)
    },
    advance: (byMs) => {
      const untilMs = nowMs + byMs
      for (let timer = findNextTimer(untilMs); timer !== undefined; timer = findNextTimer(untilMs)) {
        timers.delete(timer)
        nowMs = timer.dueMs
        timer.callback()
      }
      nowMs = untilMs
    },
    waitForTimer: (delayMs) =>
      new Promise((resolve) => {
        if ([...timers].some((timer) => timer.delayMs === delayMs)) resolve()
        else watchers.add({ delayMs, resolve })
      }),
    get timerCount() {
      return timers.size
    },
  }
}
