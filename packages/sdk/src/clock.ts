/** Milliseconds and timers, handed in so that tests can move time. */
export interface ClientClock {
  /** Milliseconds that only grow. */
  now(): number
  /** Calls back once; returns what takes that back. */
  after(delayMs: number, callback: () => void): () => void
}

/** The browser's own. */
export const browserClock: ClientClock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
