/** Time and timers, replaceable in tests. */
export interface ClientClock {
  /** Monotonic milliseconds. */
  now(): number
  /** Calls back once; returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

/** The clock of the browser. */
export const browserClock: ClientClock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
