/** Left: the caller, right: the agent. */
const CHANNELS = 2

/** How late, by the caller's clock, samples may come and still be recorded where they belong. */
const MAX_LATENESS_MS = 2_000

/** Samples are written in parts of this length at most: room for one lies ahead of what is there. */
const MAX_PART_MS = 200

/** A longer jump of the caller's clock is an error, not silence. */
const MAX_GAP_MS = 60_000

/** Keeps both sides of a call, aligned by the caller's sample clock. */
export interface Recorder {
  /** The caller's frame that begins at this sample of the caller's clock. Its samples are copied. */
  caller(frame: Int16Array, startSample: number): void
  /** What the caller heard of the agent from this sample of the caller's clock on. Replaces what was there. Copied. */
  agent(samples: Int16Array, startSample: number): void
  /** Hands over the rest. Nothing is recorded afterwards. */
  close(): void
  /** Samples per channel, from the first one of the clock to the last one of either side. */
  readonly totalSamples: number
  /** Samples that came too late to be recorded. */
  readonly droppedSamples: number
}

export interface RecorderOptions {
  readonly rateHz: number
  readonly segmentMs: number
  /**
   * Interleaved 16-bit samples (left caller, right agent) in the byte order of the machine, which is little endian on all that
   * Node runs on but one. All segments are equally long but the last one. The array is the receiver's own.
   */
  readonly onSegment: (index: number, bytes: Uint8Array<ArrayBuffer>) => void
}

/**
 * Holds a segment and a little more than two seconds, four bytes a sample, whatever the length of the call. What is missing is
 * silence. A segment is handed over two seconds after its end, so that what the agent said is in it even when the far end
 * tells late.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  return new SegmentedRecorder(options)
}

class SegmentedRecorder implements Recorder {
  readonly #onSegment: RecorderOptions['onSegment']
  readonly #segmentSamples: number
  readonly #maxLateSamples: number
  readonly #partSamples: number
  readonly #maxGapSamples: number
  readonly #capacity: number
  readonly #ring: Int16Array
  /** First sample that has not been handed over. */
  #base = 0
  #end = 0
  #index = 0
  #dropped = 0
  #clockShift = 0
  #isClosed = false

  constructor({ rateHz, segmentMs, onSegment }: RecorderOptions) {
    this.#onSegment = onSegment
    this.#segmentSamples = Math.round((rateHz * segmentMs) / 1000)
    this.#maxLateSamples = (rateHz * MAX_LATENESS_MS) / 1000
    this.#partSamples = (rateHz * MAX_PART_MS) / 1000
    this.#maxGapSamples = (rateHz * MAX_GAP_MS) / 1000
    this.#capacity = this.#segmentSamples + this.#maxLateSamples + this.#partSamples
    this.#ring = new Int16Array(this.#capacity * CHANNELS)
  }

  caller(frame: Int16Array, startSample: number): void {
    this.#write(frame, startSample, 0)
  }

  agent(samples: Int16Array, startSample: number): void {
    this.#write(samples, startSample, 1)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    while (this.#end - this.#base > this.#segmentSamples) this.#handOver(this.#segmentSamples)
    if (this.#end > this.#base) this.#handOver(this.#end - this.#base)
  }

  get totalSamples(): number {
    return this.#end
  }

  get droppedSamples(): number {
    return this.#dropped
  }

  #write(samples: Int16Array, startSample: number, channel: number): void {
    if (this.#isClosed || samples.length === 0) return
    const gap = startSample + this.#clockShift - this.#end
    // A clock that jumps goes on right behind what is there, for both sides alike.
    if (gap > this.#maxGapSamples) this.#clockShift -= gap
    const start = startSample + this.#clockShift
    const skipped = Math.min(samples.length, Math.max(0, this.#base - start))
    this.#dropped += skipped
    if (skipped === 0 && samples.length <= this.#partSamples) {
      this.#writePart(samples, start, channel)
      return
    }
    for (let done = skipped; done < samples.length; ) {
      const part = samples.subarray(done, done + this.#partSamples)
      this.#writePart(part, start + done, channel)
      done += part.length
    }
  }

  /** Not before what was handed over, and no more than fits into the window. */
  #writePart(samples: Int16Array, start: number, channel: number): void {
    this.#end = Math.max(this.#end, start + samples.length)
    while (this.#end > this.#base + this.#capacity) this.#handOver(this.#segmentSamples)
    const ring = this.#ring
    let place = (start % this.#capacity) * CHANNELS + channel
    for (let index = 0; index < samples.length; index += 1) {
      ring[place] = samples[index] as number
      place += CHANNELS
      if (place >= ring.length) place = channel
    }
    while (this.#end >= this.#base + this.#segmentSamples + this.#maxLateSamples) this.#handOver(this.#segmentSamples)
  }

  #handOver(samples: number): void {
    const ring = this.#ring
    const segment = new Int16Array(samples * CHANNELS)
    const from = (this.#base % this.#capacity) * CHANNELS
    const samplesUntilWrap = Math.min(segment.length, ring.length - from)
    segment.set(ring.subarray(from, from + samplesUntilWrap))
    segment.set(ring.subarray(0, segment.length - samplesUntilWrap), samplesUntilWrap)
    ring.fill(0, from, from + samplesUntilWrap)
    ring.fill(0, 0, segment.length - samplesUntilWrap)
    this.#base += samples
    this.#index += 1
    this.#onSegment(this.#index - 1, new Uint8Array(segment.buffer))
  }
}
