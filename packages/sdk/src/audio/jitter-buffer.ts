/** Minimum amount of audio buffered before playback starts. */
const MIN_TARGET_MS = 60
const MAX_TARGET_MS = 200
const TARGET_STEP_UP_MS = 20
const TARGET_STEP_DOWN_MS = 10
/** Playback time without gaps after which the target shrinks. */
const STABLE_MS = 10_000
/** Audio that arrives within this time after an underrun is late. A longer gap is a pause of the speaker. */
const UNDERRUN_WINDOW_MS = 300
/** Duration of the fade-out on `clear`. */
const FADE_MS = 5
/** Maximum amount of buffered audio. */
const MAX_BUFFERED_MS = 30_000

interface Chunk {
  startSample: number
  samples: Float32Array
}

/**
 * Smooths bursts by buffering a little audio before playback, and more after gaps. Positions are sample numbers of the stream,
 * and time is measured in pulled samples.
 */
export class JitterBuffer {
  readonly #rateHz: number
  readonly #chunks: Chunk[] = []
  #bufferedSamples = 0
  #isPlaying = false
  /** Samples pulled since the first waiting chunk arrived or the last chunk was played. */
  #waitedSamples = 0
  #stableSamples = 0
  #targetMs = MIN_TARGET_MS
  #playedSamples = 0
  #segmentStart = 0
  #nextStartSample = 0
  #fadeOut: Float32Array | null = null
  #underruns = 0
  #droppedSamples = 0
  /** Whether no audio has arrived yet. The first chunk does not count as an underrun. */
  #isInitial = true

  constructor(rateHz: number) {
    this.#rateHz = rateHz
  }

  /** Number of the next sample. All earlier samples were played, dropped or lost. */
  get played(): number {
    return this.#playedSamples
  }

  /** Number of the first sample in the contiguous segment up to `played`. */
  get segmentStart(): number {
    return this.#segmentStart
  }

  /** Number of buffered samples. */
  get buffered(): number {
    return this.#bufferedSamples
  }

  get isPlaying(): boolean {
    return this.#isPlaying
  }

  /** Number of times that audio arrived too late. */
  get underruns(): number {
    return this.#underruns
  }

  /** Number of samples dropped because the buffer was full. */
  get dropped(): number {
    return this.#droppedSamples
  }

  get targetMs(): number {
    return this.#targetMs
  }

  /** Adds samples between -1 and 1. Duplicate samples, for example after a reconnect, are dropped. */
  push(startSample: number, samples: Float32Array): void {
    const duplicateCount = Math.max(0, this.#nextStartSample - startSample)
    if (duplicateCount >= samples.length) return
    if (this.#bufferedSamples + samples.length > this.#toSamples(MAX_BUFFERED_MS)) {
      this.#droppedSamples += samples.length
      return
    }
    if (this.#chunks.length === 0) this.#recordArrivalAfterSilence()
    const newSamples = duplicateCount === 0 ? samples : samples.subarray(duplicateCount)
    this.#chunks.push({ startSample: startSample + duplicateCount, samples: newSamples })
    this.#bufferedSamples += newSamples.length
    this.#nextStartSample = startSample + samples.length
  }

  /** Fills `output` with the next `count` samples and pads it with silence. Returns the number of audible samples. */
  pull(output: Float32Array, count: number): number {
    output.fill(0, 0, count)
    const fadedCount = this.#pullFadeOut(output, count)
    if (!this.#isPlaying && !this.#canStart(count)) return fadedCount
    let filledCount = fadedCount
    while (filledCount < count) {
      const chunk = this.#chunks[0]
      if (chunk === undefined) {
        this.#isPlaying = false
        this.#waitedSamples = 0
        break
      }
      const partCount = Math.min(count - filledCount, chunk.samples.length)
      output.set(chunk.samples.subarray(0, partCount), filledCount)
      filledCount += partCount
      this.#advance(chunk, partCount)
    }
    this.#shrinkTarget(filledCount)
    return filledCount
  }

  /** Drops buffered audio and fades out the current audio. */
  clear(): void {
    const fade = new Float32Array(this.#toSamples(FADE_MS))
    if (this.#isPlaying) {
      let filledCount = 0
      for (const { samples } of this.#chunks) {
        const part = samples.subarray(0, fade.length - filledCount)
        fade.set(part, filledCount)
        filledCount += part.length
      }
      for (let index = 0; index < fade.length; index += 1) {
        fade[index] = (fade[index] ?? 0) * (1 - (index + 1) / fade.length)
      }
      this.#fadeOut = fade
    }
    this.#chunks.length = 0
    this.#bufferedSamples = 0
    this.#isPlaying = false
    this.#isInitial = true
    this.#waitedSamples = 0
  }

  #advance(chunk: Chunk, count: number): void {
    if (chunk.startSample !== this.#playedSamples) this.#segmentStart = chunk.startSample
    this.#playedSamples = chunk.startSample + count
    this.#bufferedSamples -= count
    if (count === chunk.samples.length) this.#chunks.shift()
    else {
      chunk.startSample += count
      chunk.samples = chunk.samples.subarray(count)
    }
  }

  #pullFadeOut(output: Float32Array, count: number): number {
    if (this.#fadeOut === null) return 0
    const part = this.#fadeOut.subarray(0, count)
    output.set(part)
    this.#fadeOut = part.length < this.#fadeOut.length ? this.#fadeOut.subarray(part.length) : null
    return part.length
  }

  /** Whether enough audio is buffered, or the buffered audio has waited so long that no more is expected. */
  #canStart(count: number): boolean {
    if (this.#chunks.length === 0) {
      this.#waitedSamples += count
      return false
    }
    const target = this.#toSamples(this.#targetMs)
    if (this.#bufferedSamples < target && this.#waitedSamples < target) {
      this.#waitedSamples += count
      return false
    }
    this.#isPlaying = true
    return true
  }

  #recordArrivalAfterSilence(): void {
    const isLate = !this.#isPlaying && !this.#isInitial && this.#waitedSamples < this.#toSamples(UNDERRUN_WINDOW_MS)
    this.#isInitial = false
    if (isLate) {
      this.#underruns += 1
      this.#stableSamples = 0
      this.#targetMs = Math.min(MAX_TARGET_MS, this.#targetMs + TARGET_STEP_UP_MS)
    }
    if (!this.#isPlaying) this.#waitedSamples = 0
  }

  #shrinkTarget(samples: number): void {
    this.#stableSamples += samples
    if (this.#stableSamples < this.#toSamples(STABLE_MS)) return
    this.#stableSamples = 0
    this.#targetMs = Math.max(MIN_TARGET_MS, this.#targetMs - TARGET_STEP_DOWN_MS)
  }

  #toSamples(durationMs: number): number {
    return Math.round((this.#rateHz * durationMs) / 1_000)
  }
}
