/** The left channel is the caller, the right one the agent. */
const CHANNELS = 2

/** Maximum delay with which samples are still recorded, measured by the caller's clock. */
const MAX_LATENESS_MS = 2_000

/** Maximum duration written at once. The ring buffer reserves space for it. */
const MAX_PART_MS = 200

/** Maximum clock jump that counts as silence. A longer jump is an error. */
const MAX_GAP_MS = 60_000

interface RecorderOptions {
  readonly rateHz: number
  readonly segmentMs: number
  /** Receives interleaved 16-bit samples in native byte order and owns them. Only the last segment may be shorter. */
  readonly onSegment: (index: number, bytes: Uint8Array<ArrayBuffer>) => void
}

/**
 * Records both sides of a call, aligned by the caller's sample clock. Buffers one segment plus about two seconds, regardless of
 * the call's length. Segments are emitted two seconds after their end, so that late playback reports still count.
 */
export class Recorder {
  readonly #onSegment: RecorderOptions['onSegment']
  readonly #segmentSamples: number
  readonly #maxLateSamples: number
  readonly #partSamples: number
  readonly #maxGapSamples: number
  readonly #capacity: number
  readonly #ring: Int16Array
  /** First sample that has not been emitted. */
  #startSample = 0
  #endSample = 0
  #nextSegmentIndex = 0
  #droppedSamples = 0
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

  /** Records a caller frame that starts at this sample of the caller clock. */
  recordCaller(frame: Int16Array, startSample: number): void {
    this.#write(frame, startSample, 0)
  }

  /** Records agent audio that was heard from this sample on. Replaces earlier audio at the same position. */
  recordAgent(samples: Int16Array, startSample: number): void {
    this.#write(samples, startSample, 1)
  }

  /** Emits the remaining audio and stops recording. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    while (this.#endSample - this.#startSample > this.#segmentSamples) this.#emitSegment(this.#segmentSamples)
    if (this.#endSample > this.#startSample) this.#emitSegment(this.#endSample - this.#startSample)
  }

  /** Number of samples per channel. */
  get totalSamples(): number {
    return this.#endSample
  }

  /** Number of samples that arrived too late. */
  get droppedSamples(): number {
    return this.#droppedSamples
  }

  #write(samples: Int16Array, startSample: number, channel: number): void {
    if (this.#isClosed || samples.length === 0) return
    const gap = startSample + this.#clockShift - this.#endSample
    // After a jump, both sides continue directly after the recorded audio.
    if (gap > this.#maxGapSamples) this.#clockShift -= gap
    const start = startSample + this.#clockShift
    const droppedSamples = Math.min(samples.length, Math.max(0, this.#startSample - start))
    this.#droppedSamples += droppedSamples
    if (droppedSamples === 0 && samples.length <= this.#partSamples) {
      this.#writePart(samples, start, channel)
      return
    }
    for (let writtenSamples = droppedSamples; writtenSamples < samples.length; ) {
      const part = samples.subarray(writtenSamples, writtenSamples + this.#partSamples)
      this.#writePart(part, start + writtenSamples, channel)
      writtenSamples += part.length
    }
  }

  /** Writes a part, which must start after the emitted samples and fit into the ring. */
  #writePart(samples: Int16Array, start: number, channel: number): void {
    this.#endSample = Math.max(this.#endSample, start + samples.length)
    while (this.#endSample > this.#startSample + this.#capacity) this.#emitSegment(this.#segmentSamples)
    const ring = this.#ring
    let ringIndex = (start % this.#capacity) * CHANNELS + channel
    for (let index = 0; index < samples.length; index += 1) {
      ring[ringIndex] = samples[index] as number
      ringIndex += CHANNELS
      if (ringIndex >= ring.length) ringIndex = channel
    }
    while (this.#endSample >= this.#startSample + this.#segmentSamples + this.#maxLateSamples)
      this.#emitSegment(this.#segmentSamples)
  }

  #emitSegment(samples: number): void {
    const ring = this.#ring
    const segment = new Int16Array(samples * CHANNELS)
    const from = (this.#startSample % this.#capacity) * CHANNELS
    const samplesUntilWrap = Math.min(segment.length, ring.length - from)
    segment.set(ring.subarray(from, from + samplesUntilWrap))
    segment.set(ring.subarray(0, segment.length - samplesUntilWrap), samplesUntilWrap)
    ring.fill(0, from, from + samplesUntilWrap)
    ring.fill(0, 0, segment.length - samplesUntilWrap)
    this.#startSample += samples
    this.#nextSegmentIndex += 1
    this.#onSegment(this.#nextSegmentIndex - 1, new Uint8Array(segment.buffer))
  }
}
