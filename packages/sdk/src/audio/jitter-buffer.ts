/** Sound that is collected before it begins to play. */
const MIN_TARGET_MS = 60
const MAX_TARGET_MS = 200
const TARGET_STEP_UP_MS = 20
const TARGET_STEP_DOWN_MS = 10
/** So much sound without a gap lets the target shrink a step. */
const STABLE_MS = 10_000
/** Sound that comes so soon after the last was played should have come before: later, the speaker has paused. */
const UNDERRUN_WITHIN_MS = 300
/** What is cut off fades for so long. */
const FADE_MS = 5
/** More than this is never kept. */
const MAX_BUFFERED_MS = 30_000

interface Chunk {
  startSample: number
  samples: Float32Array
}

/**
 * Evens out what comes in bursts: collects a little sound before it plays, more where gaps were heard, and knows by its samples'
 * numbers how far into the stream it has played. Its clock is the sound that is drawn from it.
 */
export class JitterBuffer {
  readonly #rateHz: number
  readonly #chunks: Chunk[] = []
  #buffered = 0
  #isPlaying = false
  /** Drawn since the first piece came that waits, or since the last one was played. */
  #waitedSamples = 0
  #stableSamples = 0
  #targetMs = MIN_TARGET_MS
  #played = 0
  #segmentStart = 0
  #expected = 0
  #tail: Float32Array | null = null
  #underruns = 0
  #dropped = 0
  /** Nothing ever came; what comes first is no underrun. */
  #isInitial = true

  constructor(rateHz: number) {
    this.#rateHz = rateHz
  }

  /** Number of the sample that plays next: all before it were played, dropped or lost. */
  get played(): number {
    return this.#played
  }

  /** Number of the first sample of what has been played in one piece up to `played`. */
  get segmentStart(): number {
    return this.#segmentStart
  }

  /** Samples that wait. */
  get buffered(): number {
    return this.#buffered
  }

  get isPlaying(): boolean {
    return this.#isPlaying
  }

  /** How often sound came too late. */
  get underruns(): number {
    return this.#underruns
  }

  /** Samples that came when too many waited. */
  get dropped(): number {
    return this.#dropped
  }

  get targetMs(): number {
    return this.#targetMs
  }

  /** Sound to be played, between -1 and 1. What was received before, after a new connection for example, is left out. */
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

  /** Fills `output` with the next `count` samples, silence included. Tells how many of them are sound. */
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

  /** Drops what waits; what plays fades out within milliseconds. */
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

  /** Enough is there, or what is there has waited so long that nothing seems to follow. */
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
