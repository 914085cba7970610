/** Minimum amount of audio buffered before playback starts. */
const MIN_TARGET_MS = 60
const MAX_TARGET_MS = 200
const TARGET_STEP_UP_MS = 20
const TARGET_STEP_DOWN_MS = 10
/** Playback time without gaps after which the target shrinks. */
const STABLE_MS = 10_000
/** Audio that arrives within this time after an underrun was late. After longer gaps, the speaker has paused. */
const UNDERRUN_WITHIN_MS = 300
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
  #buffered = 0
  #isPlaying = false
  /** Samples pulled since the first waiting chunk arrived or the last chunk was played. */
  #waitedSamples = 0
  #stableSamples = 0
  #targetMs = MIN_TARGET_MS
  #played = 0
  #segmentStart = 0
  #expected = 0
  #tail: Float32Array | null = null
  #underruns = 0
  #dropped = 0
  /** Whether no audio has arrived yet. The first chunk does not count as an underrun. */
  #isInitial = true

  constructor(rateHz: number) {
    this.#rateHz = rateHz
  }

  /** Number of the next sample. All earlier samples were played, dropped or lost. */
  get played(): number {
    return this.#played
  }

  /** Number of the first sample in the contiguous segment up to `played`. */
  get segmentStart(): number {
    return this.#segmentStart
  }

  /** Number of buffered samples. */
  get buffered(): number {
    return this.#buffered
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
    return this.#dropped
  }

  get targetMs(): number {
    return this.#targetMs
  }

  /** Adds samples between -1 and 1. Duplicate samples, for example after a reconnect, are dropped. */
  push(startSample: number, samples: Float32Array): void {
    const known = Math.max(0, this.#expected - startSample)
    if (known >= samples.length) return
    if (this.#buffered + samples.length > this.#samplesIn(MAX_BUFFERED_MS)) {
      this.#dropped += samples.length
      return
    }
    if (this.#chunks.length === 0) this.#noteArrivalAfterSilence()
    const fresh = known === 0 ? samples : samples.subarray(known)
    this.#chunks.push({ startSample: startSample + known, samples: fresh })
    this.#buffered += fresh.length
    this.#expected = startSample + samples.length
  }

  /** Fills `output` with the next `count` samples and pads it with silence. Returns the number of audible samples. */
  pull(output: Float32Array, count: number): number {
    output.fill(0, 0, count)
    const faded = this.#pullTail(output, count)
    if (!this.#isPlaying && !this.#canStart(count)) return faded
    let filled = faded
    while (filled < count) {
      const chunk = this.#chunks[0]
      if (chunk === undefined) {
        this.#isPlaying = false
        this.#waitedSamples = 0
        break
      }
      const part = Math.min(count - filled, chunk.samples.length)
      output.set(chunk.samples.subarray(0, part), filled)
      filled += part
      this.#advance(chunk, part)
    }
    this.#shrinkTarget(filled)
    return filled
  }

  /** Drops buffered audio and fades out the current audio. */
  clear(): void {
    const fade = new Float32Array(this.#samplesIn(FADE_MS))
    if (this.#isPlaying) {
      let filled = 0
      for (const { samples } of this.#chunks) {
        const part = samples.subarray(0, fade.length - filled)
        fade.set(part, filled)
        filled += part.length
      }
      for (let index = 0; index < fade.length; index += 1) {
        fade[index] = (fade[index] ?? 0) * (1 - (index + 1) / fade.length)
      }
      this.#tail = fade
    }
    this.#chunks.length = 0
    this.#buffered = 0
    this.#isPlaying = false
    this.#isInitial = true
    this.#waitedSamples = 0
  }

  #advance(chunk: Chunk, part: number): void {
    if (chunk.startSample !== this.#played) this.#segmentStart = chunk.startSample
    this.#played = chunk.startSample + part
    this.#buffered -= part
    if (part === chunk.samples.length) this.#chunks.shift()
    else {
      chunk.startSample += part
      chunk.samples = chunk.samples.subarray(part)
    }
  }

  #pullTail(output: Float32Array, count: number): number {
    if (this.#tail === null) return 0
    const part = this.#tail.subarray(0, count)
    output.set(part)
    this.#tail = part.length < this.#tail.length ? this.#tail.subarray(part.length) : null
    return part.length
  }

  /** Whether enough audio is buffered, or the buffered audio has waited so long that no more is expected. */
  #canStart(count: number): boolean {
    if (this.#chunks.length === 0) {
      this.#waitedSamples += count
      return false
    }
    const target = this.#samplesIn(this.#targetMs)
    if (this.#buffered < target && this.#waitedSamples < target) {
      this.#waitedSamples += count
      return false
    }
    this.#isPlaying = true
    return true
  }

  #noteArrivalAfterSilence(): void {
    const isLate = !this.#isPlaying && !this.#isInitial && this.#waitedSamples < this.#samplesIn(UNDERRUN_WITHIN_MS)
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
    if (this.#stableSamples < this.#samplesIn(STABLE_MS)) return
    this.#stableSamples = 0
    this.#targetMs = Math.max(MIN_TARGET_MS, this.#targetMs - TARGET_STEP_DOWN_MS)
  }

  #samplesIn(durationMs: number): number {
    return Math.round((this.#rateHz * durationMs) / 1_000)
  }
}
