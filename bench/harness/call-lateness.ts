import { FRAME_MS } from '../../packages/engine/src/audio/frame.ts'

/** After such a pause a new stretch begins. */
const PAUSE_MS = 400
/** What a caller hears as late. */
const LATE_THRESHOLD_MS = 20
const BUCKET_MS = 1
const BUCKET_COUNT = 2_000

/** How much later than paced frames arrived, over all calls. */
export interface ArrivalLateness {
  readonly frames: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** More than 20 ms behind their time. */
  readonly lateFrames: number
  /** Came when they should have been playing already. */
  readonly lateForPlayoutFrames: number
}

/** Counts lateness in classes of a millisecond: nothing is kept of a frame. */
export class LatenessHistogram {
  readonly #counts = new Uint32Array(BUCKET_COUNT)
  #frames = 0
  #missed = 0
  #maxMs = 0

  /** `aheadMs`: how long before it is played a frame is due. */
  record(lateMs: number, aheadMs = 0): void {
    this.#frames += 1
    if (lateMs > aheadMs) this.#missed += 1
    this.#maxMs = Math.max(this.#maxMs, lateMs)
    const bucket = Math.min(BUCKET_COUNT - 1, Math.max(0, Math.floor(lateMs / BUCKET_MS)))
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
  }

  reset(): void {
    this.#counts.fill(0)
    this.#frames = 0
    this.#missed = 0
    this.#maxMs = 0
  }

  read(): ArrivalLateness {
    let lateFrames = 0
    for (let bucket = LATE_THRESHOLD_MS / BUCKET_MS; bucket < BUCKET_COUNT; bucket += 1)
      lateFrames += this.#counts[bucket] ?? 0
    const { p50Ms, p99Ms } = { p50Ms: this.#percentile(0.5), p99Ms: this.#percentile(0.99) }
    return { frames: this.#frames, p50Ms, p99Ms, maxMs: this.#maxMs, lateFrames, lateForPlayoutFrames: this.#missed }
  }

  #percentile(share: number): number {
    let left = share * this.#frames
    const bucket = this.#counts.findIndex((count) => {
      left -= count
      return left <= 0
    })
    return (bucket + 1) * BUCKET_MS
  }
}

/** Of one call: holds the arrival of its frames against the time at which they were due. */
export class SegmentClock {
  readonly #count: LatenessHistogram
  readonly #leadFrames: number
  #startedAtMs = 0
  #frame = 0
  #lastMs = Number.NEGATIVE_INFINITY

  /** `leadFrames`: what is sent ahead of time; so many frames of a stretch come at once. */
  constructor(count: LatenessHistogram, leadFrames: number) {
    this.#count = count
    this.#leadFrames = leadFrames
  }

  /** What was sent before a clear says nothing of what comes after it. */
  restart(): void {
    this.#lastMs = Number.NEGATIVE_INFINITY
  }

  recordArrival(nowMs: number): void {
    if (nowMs - this.#lastMs > PAUSE_MS) {
      this.#startedAtMs = nowMs
      this.#frame = -this.#leadFrames
    }
    this.#lastMs = nowMs
    const dueMs = this.#startedAtMs + Math.max(0, this.#frame) * FRAME_MS
    this.#frame += 1
    // Without a lead nothing tells when a frame is played.
    const aheadMs = this.#leadFrames === 0 ? Number.POSITIVE_INFINITY : this.#leadFrames * FRAME_MS
    this.#count.record(Math.max(0, nowMs - dueMs), aheadMs)
  }
}
