import type { CallEvents } from './call-events.ts'
import type { ClientClock } from './clock.ts'

const SLOW_ROUND_TRIP_MS = 800
/** Number of gaps within the time window that makes them audible. */
const MAX_GAPS = 3
const GAPS_WITHIN_MS = 10_000
const WARN_EVERY_MS = 15_000

/** Warns at intervals if the network is too slow for a call. */
export class NetworkMonitor {
  readonly #clock: ClientClock
  #gapsAtMs: number[] = []
  #gaps = 0
  #warnedAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: ClientClock) {
    this.#clock = clock
  }

  /** Returns a warning if the round trip is slow, or null. */
  recordRoundTrip(durationMs: number): CallEvents['warning'] | null {
    return durationMs > SLOW_ROUND_TRIP_MS ? this.#warn() : null
  }

  /** Returns a warning if gaps are frequent, or null. `count` is the number of gaps since the call started. */
  recordUnderruns(count: number): CallEvents['warning'] | null {
    const nowMs = this.#clock.now()
    for (; this.#gaps < count; this.#gaps += 1) this.#gapsAtMs.push(nowMs)
    this.#gapsAtMs = this.#gapsAtMs.filter((atMs) => nowMs - atMs < GAPS_WITHIN_MS)
    return this.#gapsAtMs.length >= MAX_GAPS ? this.#warn() : null
  }

  #warn(): CallEvents['warning'] | null {
    const nowMs = this.#clock.now()
    if (nowMs - this.#warnedAtMs < WARN_EVERY_MS) return null
    this.#warnedAtMs = nowMs
    return { code: 'weak_network', message: 'Your network is slow. The audio may break up.' }
  }
}
