import { computeLevelDb, FRAME_MS, type Frame, type LegRateHz } from '@parley/engine/audio/frame'
import { SampleBuffer } from '../sample-buffer.ts'

/** A frame this much quieter than the loudest frame of the utterance may be a pause. */
const QUIET_DB_BELOW_PEAK = 18
/** Shorter quiet parts occur inside words. */
const PAUSE_MS = 80
/** Voice ends after this much silence. */
const END_SILENCE_MS = 200

/** The audio and the text of one utterance. */
export class Utterance {
  readonly id: string
  readonly #audio: SampleBuffer
  readonly #samplesPerMs: number
  readonly #preRollCount: number
  #peakDb = Number.NEGATIVE_INFINITY
  #quietMs = 0
  /** Number of samples up to the last voice. */
  #voiceCount: number
  /** Number of samples up to the end of the utterance, or null while it lasts. */
  #endCount: number | null = null
  /** Number of samples in the last request. */
  #requestedCount = 0
  #text: string | null = null
  /** Tokens of the last text. */
  draft: readonly number[] = []

  constructor(id: string, preRoll: Int16Array, rateHz: LegRateHz) {
    this.id = id
    this.#audio = new SampleBuffer(rateHz * 4)
    this.#audio.append(preRoll)
    this.#preRollCount = preRoll.length
    this.#voiceCount = preRoll.length
    this.#samplesPerMs = rateHz / 1_000
  }

  get durationMs(): number {
    return this.#audio.length / this.#samplesPerMs
  }

  get hasEnded(): boolean {
    return this.#endCount !== null
  }

  /** Whether the caller pauses or has stopped speaking. */
  get isPaused(): boolean {
    return this.#quietMs >= PAUSE_MS
  }

  /** Whether voice followed the last requested audio. */
  get hasNewVoice(): boolean {
    return this.#voiceCount > this.#requestedCount
  }

  /** The text of all voice so far, or null if the voice of the last request was not all. */
  get text(): string | null {
    return this.#text
  }

  /** Duration of the audio after the last request or, before the first request, since the voice started. */
  get newAudioMs(): number {
    return (this.#audio.length - Math.max(this.#requestedCount, this.#preRollCount)) / this.#samplesPerMs
  }

  push(frame: Frame): void {
    this.#audio.append(frame)
    if (this.hasEnded) return
    const levelDb = computeLevelDb(frame)
    this.#peakDb = Math.max(this.#peakDb, levelDb)
    if (levelDb > this.#peakDb - QUIET_DB_BELOW_PEAK) {
      this.#quietMs = 0
      this.#setVoiceCount(this.#audio.length)
    } else this.#quietMs += FRAME_MS
  }

  end(): void {
    this.#endCount = this.#audio.length
    // Voice can be quiet, so the level alone does not prove that the last request contained all of it.
    const voiceCount = this.#audio.length - END_SILENCE_MS * this.#samplesPerMs
    if (voiceCount > this.#voiceCount) this.#setVoiceCount(voiceCount)
  }

  /** Continues an utterance after its end. */
  resume(): void {
    this.#endCount = null
    this.#quietMs = 0
    this.#setVoiceCount(this.#audio.length)
  }

  /** Returns the audio to recognize. Its samples do not change. */
  takeAudio(): Int16Array<ArrayBuffer> {
    const samples = this.#audio.getSamples().subarray(0, this.#endCount ?? undefined)
    this.#requestedCount = samples.length
    return samples
  }

  /** Handles the text of the last request. */
  setText(text: string): void {
    if (!this.hasNewVoice) this.#text = text
  }

  #setVoiceCount(count: number): void {
    this.#voiceCount = count
    if (this.hasNewVoice) this.#text = null
  }
}
