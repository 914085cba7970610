import { computeLevelDb, countFrameSamples, type Frame } from '../../packages/engine/src/audio/frame.ts'
import type { VoiceChange } from '../../packages/engine/src/audio/voice-activity/voice-activity.ts'

const START_MS = 50
const END_MS = 200
const FRAME_MS = 20
const MIN_DB_ABOVE_FLOOR = 8
const MIN_VOICE_DB = -58
const WINDOW_MS = 300
const WINDOWS = 6
const MIN_FLOOR_DB = -70
const MAX_FLOOR_DB = -20

/** Parley's earlier rule as a baseline: an energy-based detector and a noise floor, 50 ms to start and 200 ms to end. */
export class NoiseFloorActivity {
  readonly #isVoiceLike: (frame: Frame) => boolean
  readonly #minima = new Float64Array(WINDOWS).fill(MIN_FLOOR_DB)
  readonly #frameSamples: number
  #window = 0
  #windowMs = 0
  #currentMinimum = Number.POSITIVE_INFINITY
  #floorDb = MIN_FLOOR_DB
  #isSpeaking = false
  #runStartMs = 0
  #runMs = 0
  #lastVoiceAtMs = 0

  constructor(rateHz: number, isVoiceLike: (frame: Frame) => boolean) {
    this.#isVoiceLike = isVoiceLike
    this.#frameSamples = countFrameSamples(rateHz)
  }

  push(frame: Frame, endMs: number): VoiceChange | null {
    const levelDb = computeLevelDb(frame)
    const isVoiceLike = frame.length === this.#frameSamples && this.#isVoiceLike(frame)
    const isVoice = isVoiceLike && levelDb > MIN_VOICE_DB && levelDb > this.#floorDb + MIN_DB_ABOVE_FLOOR
    this.#updateFloor(levelDb)
    if (isVoice) {
      if (this.#runMs === 0) this.#runStartMs = endMs - FRAME_MS
      this.#runMs += FRAME_MS
      this.#lastVoiceAtMs = endMs
    } else this.#runMs = 0
    if (this.#isSpeaking && endMs - this.#lastVoiceAtMs >= END_MS) {
      this.#isSpeaking = false
      return { type: 'voice-ended', lastVoiceAtMs: this.#lastVoiceAtMs }
    }
    if (this.#isSpeaking || this.#runMs < START_MS) return null
    this.#isSpeaking = true
    return { type: 'voice-started', startedAtMs: this.#runStartMs, level: 'normal' }
  }

  #updateFloor(levelDb: number): void {
    this.#currentMinimum = Math.min(this.#currentMinimum, levelDb)
    this.#windowMs += FRAME_MS
    if (this.#windowMs >= WINDOW_MS) {
      this.#minima[this.#window] = this.#currentMinimum
      this.#window = (this.#window + 1) % WINDOWS
      this.#windowMs = 0
      this.#currentMinimum = Number.POSITIVE_INFINITY
    }
    const minimumDb = Math.min(this.#currentMinimum, ...this.#minima)
    this.#floorDb = Math.min(MAX_FLOOR_DB, Math.max(MIN_FLOOR_DB, minimumDb))
  }
}
