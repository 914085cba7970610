/** Time and timers, which tests can replace. */
export interface ClientClock {
  /** Returns monotonic milliseconds. */
  now(): number
  /** Calls back once after a delay. Returns a function that cancels the timer. */
  after(delayMs: number, callback: () => void): () => void
}

/** The browser's clock. */
export const browserClock: ClientClock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
