import { FRAME_MS } from '../../packages/engine/src/audio/frame.ts'

/** Pause after which a new speech segment starts. */
const PAUSE_MS = 400
/** Delay that a caller perceives as late. */
const LATE_THRESHOLD_MS = 20
const BUCKET_MS = 1
const BUCKET_COUNT = 2_000

/** Lateness of paced frames on arrival, over all calls. */
export interface ArrivalLateness {
  readonly frames: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Frames more than 20 ms late. */
  readonly lateFrames: number
  /** Frames that arrived after their playback time. */
  readonly lateForPlayoutFrames: number
}

/** Counts lateness in millisecond buckets, without storing individual frames. */
export class LatenessHistogram {
  readonly #counts = new Uint32Array(BUCKET_COUNT)
  #frames = 0
  #missed = 0
  #maxMs = 0

  /** Records a frame; `aheadMs` is the time between its due time and its playback. */
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
    const { p50Ms, p99Ms } = { p50Ms: this.#calculatePercentile(0.5), p99Ms: this.#calculatePercentile(0.99) }
    return { frames: this.#frames, p50Ms, p99Ms, maxMs: this.#maxMs, lateFrames, lateForPlayoutFrames: this.#missed }
  }

  #calculatePercentile(share: number): number {
    let remainingFrames = share * this.#frames
    const bucket = this.#counts.findIndex((count) => {
      remainingFrames -= count
      return remainingFrames <= 0
    })
    return (bucket + 1) * BUCKET_MS
  }
}

/** Compares the arrival times of a call's frames with their due times. */
export class SegmentClock {
  readonly #histogram: LatenessHistogram
  readonly #leadFrames: number
  #startedAtMs = 0
  #frame = 0
  #lastMs = Number.NEGATIVE_INFINITY

  /** `leadFrames` is the number of frames that the server sends in advance at the start of a segment. */
  constructor(histogram: LatenessHistogram, leadFrames: number) {
    this.#histogram = histogram
    this.#leadFrames = leadFrames
  }

  /** Starts a new segment, since frames sent before a clear say nothing about later frames. */
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
    // Without a lead, the playback time of a frame is unknown.
    const aheadMs = this.#leadFrames === 0 ? Number.POSITIVE_INFINITY : this.#leadFrames * FRAME_MS
    this.#histogram.record(Math.max(0, nowMs - dueMs), aheadMs)
  }
}
