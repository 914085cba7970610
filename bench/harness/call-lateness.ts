import { FRAME_MS } from '../../packages/engine/src/audio/frame.ts'

/** After such a pause a new stretch begins. */
const PAUSE_MS = 400
/** What a caller hears as late. */
const LATE_MS = 20
const CLASS_MS = 1
const CLASSES = 2_000

/** How much later than paced frames arrived, over all calls. */
export interface Lateness {
  readonly frames: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly worstMs: number
  /** More than 20 ms behind their time. */
  readonly lateFrames: number
  /** Came when they should have been playing already. */
  readonly missedFrames: number
}

/** Counts lateness in classes of a millisecond: nothing is kept of a frame. */
export class LatenessCount {
  readonly #counts = new Uint32Array(CLASSES)
  #frames = 0
  #missed = 0
  #worstMs = 0

  /** `aheadMs`: how long before it is played a frame is due. */
  note(lateMs: number, aheadMs = 0): void {
    this.#frames += 1
    if (lateMs > aheadMs) this.#missed += 1
    this.#worstMs = Math.max(this.#worstMs, lateMs)
    const place = Math.min(CLASSES - 1, Math.max(0, Math.floor(lateMs / CLASS_MS)))
    this.#counts[place] = (this.#counts[place] ?? 0) + 1
  }

  reset(): void {
    this.#counts.fill(0)
    this.#frames = 0
    this.#missed = 0
    this.#worstMs = 0
  }

  read(): Lateness {
    let lateFrames = 0
    for (let place = LATE_MS / CLASS_MS; place < CLASSES; place += 1) lateFrames += this.#counts[place] ?? 0
    const { p50Ms, p99Ms } = { p50Ms: this.#percentile(0.5), p99Ms: this.#percentile(0.99) }
    return { frames: this.#frames, p50Ms, p99Ms, worstMs: this.#worstMs, lateFrames, missedFrames: this.#missed }
  }

  #percentile(share: number): number {
    let left = share * this.#frames
    const place = this.#counts.findIndex((count) => {
      left -= count
      return left <= 0
    })
    return (place + 1) * CLASS_MS
  }
}

/** Of one call: holds the arrival of its frames against the time at which they were due. */
export class StretchClock {
  readonly #count: LatenessCount
  readonly #leadFrames: number
  #beganMs = 0
  #frame = 0
  #lastMs = Number.NEGATIVE_INFINITY

  /** `leadFrames`: what is sent ahead of time; so many frames of a stretch come at once. */
  constructor(count: LatenessCount, leadFrames: number) {
    this.#count = count
    this.#leadFrames = leadFrames
  }

  /** What was sent before a clear says nothing of what comes after it. */
  restart(): void {
    this.#lastMs = Number.NEGATIVE_INFINITY
  }

  arrived(nowMs: number): void {
    if (nowMs - this.#lastMs > PAUSE_MS) {
      this.#beganMs = nowMs
      this.#frame = -this.#leadFrames
    }
    this.#lastMs = nowMs
    const dueMs = this.#beganMs + Math.max(0, this.#frame) * FRAME_MS
    this.#frame += 1
    // Without a lead nothing tells when a frame is played.
    const aheadMs = this.#leadFrames === 0 ? Number.POSITIVE_INFINITY : this.#leadFrames * FRAME_MS
    this.#count.note(Math.max(0, nowMs - dueMs), aheadMs)
  }
}
