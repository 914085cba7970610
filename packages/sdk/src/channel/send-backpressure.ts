/** More than a second of buffered audio: new audio would arrive too late. */
const MAX_BUFFERED_BYTES = 32_000
/** Sockets report progress only between tasks, so only a lasting backlog is congestion. */
const FULL_TIMEOUT_MS = 250
/** Limit of a burst: 8 s at 16 kHz or 16 s at 8 kHz; a server accepts 20 s. */
const MAX_BURST_BYTES = 256_000

/** Tells a congested connection from a page that was blocked and sends its backlog at once. */
export class SendBackpressure {
  #fullSinceMs: number | null = null

  /** Whether audio should be dropped. */
  isFull(bufferedBytes: number, nowMs: number): boolean {
    if (bufferedBytes <= MAX_BUFFERED_BYTES) this.#fullSinceMs = null
    else this.#fullSinceMs ??= nowMs
    if (this.#fullSinceMs === null) return false
    return nowMs - this.#fullSinceMs >= FULL_TIMEOUT_MS || bufferedBytes > MAX_BURST_BYTES
  }
}
