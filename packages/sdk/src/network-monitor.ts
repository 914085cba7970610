import type { CallEvents } from './call-events.ts'
import type { ClientClock } from './clock.ts'

const SLOW_ROUND_TRIP_MS = 800
/** Minimum number of gaps within the time window for a warning. */
const MIN_GAPS = 3
const GAP_WINDOW_MS = 10_000
const WARNING_INTERVAL_MS = 15_000

/** Warns at intervals if the network is too slow for a call. */
export class NetworkMonitor {
  readonly #clock: ClientClock
  #gapTimesMs: number[] = []
  #gapCount = 0
  #warnedAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: ClientClock) {
    this.#clock = clock
  }

  /** Returns a warning if the round trip is slow, or null. */
  recordRoundTrip(durationMs: number): CallEvents['warning'] | null {
    return durationMs > SLOW_ROUND_TRIP_MS ? this.#createWarning() : null
  }

  /** Returns a warning if gaps are frequent, or null. `count` is the number of gaps since the call started. */
  recordUnderruns(count: number): CallEvents['warning'] | null {
    const nowMs = this.#clock.now()
    for (; this.#gapCount < count; this.#gapCount += 1) this.#gapTimesMs.push(nowMs)
    this.#gapTimesMs = this.#gapTimesMs.filter((timeMs) => nowMs - timeMs < GAP_WINDOW_MS)
    return this.#gapTimesMs.length >= MIN_GAPS ? this.#createWarning() : null
  }

  #createWarning(): CallEvents['warning'] | null {
    const nowMs = this.#clock.now()
    if (nowMs - this.#warnedAtMs < WARNING_INTERVAL_MS) return null
    this.#warnedAtMs = nowMs
    return { code: 'weak_network', message: 'Your network is slow. The audio may break up.' }
  }
}
