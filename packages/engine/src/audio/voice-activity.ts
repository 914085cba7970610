import type { VoiceClassifier } from '../voice/ports.ts'
import { createEchoEstimate } from './echo-estimate.ts'
import { type Frame, frameSamples } from './frame.ts'
import { levelDb, SILENCE_DB } from './level.ts'
import { createNoiseFloor } from './noise-floor.ts'

/** Voice that has to sound before it counts, so that clicks do not; silence that ends it. */
const START_MS = 50
const END_MS = 200

/** Voice stands out of the noise by this much, and is never quieter than that. */
const MIN_DB_ABOVE_FLOOR = 8
const MIN_VOICE_DB = -58

/** A caller is louder than the echo of the agent by this much. */
const MIN_DB_ABOVE_ECHO = 6

/** Somebody began or ceased to speak. */
export type VoiceChange =
  | {
      readonly type: 'voice-started'
      /** Beginning of its first frame. */
      readonly sinceMs: number
      /** `echo-like`: no louder than the agent's own voice would come back. When it grows louder it is told once more, as `normal`. */
      readonly level: 'normal' | 'echo-like'
    }
  | {
      readonly type: 'voice-ended'
      /** End of the last frame with voice in it. */
      readonly lastVoiceAtMs: number
    }

/** Finds out when a caller speaks. */
export interface VoiceActivity {
  /** One frame, in its order. `atMs`: when its last sample was recorded. */
  push(frame: Frame, atMs: number): VoiceChange | null
  /** Where echo is not cancelled: level of what the agent's voice is playing right now, before each frame; `null`: nothing. */
  echoReference(levelDb: number | null): void
  /** Level of the last frame, in dB below full scale. */
  readonly levelDb: number
  readonly noiseFloorDb: number
  /** Lets go of the classifier. */
  close(): void
}

/**
 * A frame is voice when the classifier says so and it stands out of the noise floor: classifiers alone stick on hum. Voice
 * counts after 50 ms and ends after 200 ms without any.
 */
export function createVoiceActivity(options: { classifier: VoiceClassifier; rateHz: number }): VoiceActivity {
  return new NoiseFloorVoiceActivity(options)
}

class NoiseFloorVoiceActivity implements VoiceActivity {
  readonly #classifier: VoiceClassifier
  readonly #rateHz: number
  readonly #floor = createNoiseFloor()
  readonly #echo = createEchoEstimate()
  #levelDb = SILENCE_DB
  #playedDb: number | null = null
  #isSpeaking = false
  #isEchoLike = false
  /** The stretch of voice that goes on right now, and how long it has been louder than an echo. */
  #runSinceMs = 0
  #runMs = 0
  #loudMs = 0
  #lastVoiceAtMs = 0

  constructor({ classifier, rateHz }: { classifier: VoiceClassifier; rateHz: number }) {
    this.#classifier = classifier
    this.#rateHz = rateHz
  }

  push(frame: Frame, atMs: number): VoiceChange | null {
    const durationMs = (frame.length * 1000) / this.#rateHz
    const level = levelDb(frame)
    this.#levelDb = level
    const isWhole = frame.length === frameSamples(this.#rateHz)
    const isVoiceLike = this.#classifier.isVoice(isWhole ? frame : fit(frame, this.#rateHz))
    // The floor of the time before: a frame must not be its own measure.
    const isVoice = isVoiceLike && level > MIN_VOICE_DB && level > this.#floor.levelDb + MIN_DB_ABOVE_FLOOR
    this.#floor.push(level, durationMs)
    this.#echo.push(this.#playedDb, level)
    if (isVoice) this.#extendRun(atMs, durationMs)
    else this.#stopRun()
    return this.#decide(atMs)
  }

  echoReference(playedDb: number | null): void {
    this.#playedDb = playedDb
  }

  get levelDb(): number {
    return this.#levelDb
  }

  get noiseFloorDb(): number {
    return this.#floor.levelDb
  }

  close(): void {
    this.#classifier.close()
  }

  #extendRun(atMs: number, durationMs: number): void {
    if (this.#runMs === 0) this.#runSinceMs = atMs - durationMs
    this.#runMs += durationMs
    this.#lastVoiceAtMs = atMs
    this.#loudMs = this.#levelDb > this.#echo.levelDb + MIN_DB_ABOVE_ECHO ? this.#loudMs + durationMs : 0
  }

  #stopRun(): void {
    this.#runMs = 0
    this.#loudMs = 0
  }

  #decide(atMs: number): VoiceChange | null {
    if (this.#isSpeaking && atMs - this.#lastVoiceAtMs >= END_MS) {
      this.#isSpeaking = false
      return { type: 'voice-ended', lastVoiceAtMs: this.#lastVoiceAtMs }
    }
    if (this.#runMs < START_MS) return null
    const isLoud = this.#loudMs >= START_MS
    if (this.#isSpeaking && !(this.#isEchoLike && isLoud)) return null
    const sinceMs = this.#isSpeaking ? atMs - this.#loudMs : this.#runSinceMs
    this.#isSpeaking = true
    this.#isEchoLike = !isLoud
    return { type: 'voice-started', sinceMs, level: isLoud ? 'normal' : 'echo-like' }
  }
}

/** Classifiers take whole frames only. */
function fit(frame: Frame, rateHz: number): Frame {
  const whole = new Int16Array(frameSamples(rateHz))
  whole.set(frame.subarray(0, whole.length))
  return whole
}
