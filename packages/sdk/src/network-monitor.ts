import type { CallEvents } from './call-events.ts'
import type { ClientClock } from './clock.ts'

const SLOW_ROUND_TRIP_MS = 800
/** So many gaps in what was played within this time are heard as a bad line. */
const MAX_GAPS = 3
const GAPS_WITHIN_MS = 10_000
const WARN_EVERY_MS = 15_000

/** Tells when the network is too slow for a good call, now and then at most. */
export class NetworkMonitor {
  readonly #clock: ClientClock
  #gapsAtMs: number[] = []
  #gaps = 0
  #warnedAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: ClientClock) {
    this.#clock = clock
  }

  roundTrip(durationMs: number): CallEvents['warning'] | null {
    return durationMs > SLOW_ROUND_TRIP_MS ? this.#warn() : null
  }

  /** `count`: gaps since the call began. */
  underruns(count: number): CallEvents['warning'] | null {
    const nowMs = this.#clock.now()
    for (; this.#gaps < count; this.#gaps += 1) this.#gapsAtMs.push(nowMs)
    this.#gapsAtMs = this.#gapsAtMs.filter((atMs) => nowMs - atMs < GAPS_WITHIN_MS)
    return this.#gapsAtMs.length >= MAX_GAPS ? this.#warn() : null
  }

  #warn(): CallEvents['warning'] | null {
    const nowMs = this.#clock.now()
    if (nowMs - this.#warnedAtMs < WARN_EVERY_MS) return null
    this.#warnedAtMs = nowMs
    return { code: 'weak_network', message: 'Your network is slow right now; the sound may break up.' }
  }
}
