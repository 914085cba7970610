/** More than a second of sound in line: what is captured now would come too late to be of use. */
const MAX_BUFFERED_BYTES = 32_000
/** Sockets tell only some time after a task that what it sent is on its way: a line that is too slow stays full. */
const FULL_TIMEOUT_MS = 250
/** Never more than this: a server takes 20 s at once at most, and this is 8 s at the higher rate, 16 s at the lower. */
const MAX_BURST_BYTES = 256_000

/**
 * Tells a line that is too slow for the sound of a call from a page that stood still: that one hands over at once what was
 * captured meanwhile, the end of what was said with it.
 */
export class SendBackpressure {
  #fullSinceMs: number | null = null

  /** Whether no sound should be added to what waits to be sent. */
  isFull(bufferedBytes: number, nowMs: number): boolean {
    if (bufferedBytes <= MAX_BUFFERED_BYTES) this.#fullSinceMs = null
    else this.#fullSinceMs ??= nowMs
    if (this.#fullSinceMs === null) return false
    return nowMs - this.#fullSinceMs >= FULL_TIMEOUT_MS || bufferedBytes > MAX_BURST_BYTES
  }
}
