import type { VoiceClassifier } from '../voice/ports.ts'
import { computeLevelDb, countFrameSamples, type Frame, SILENCE_DB } from './frame.ts'

/** Minimum duration of voice that starts speech, and minimum duration of silence that ends it. */
const START_MS = 50
const END_MS = 200

/** Minimum level above the noise floor, and minimum absolute level. */
const MIN_DB_ABOVE_FLOOR = 8
const MIN_VOICE_DB = -58

/** Minimum level above the expected echo. */
const MIN_DB_ABOVE_ECHO = 6

/** The start or end of the caller's speech. */
export type VoiceChange =
  | {
      readonly type: 'voice-started'
      /** Start of the first frame with voice. */
      readonly startedAtMs: number
      /** `echo-like`: no louder than the agent's echo. Reported again as `normal` once the voice gets louder. */
      readonly level: 'normal' | 'echo-like'
    }
  | {
      readonly type: 'voice-ended'
      /** End of the last frame with voice. */
      readonly lastVoiceAtMs: number
    }

/**
 * Detects caller speech. A frame is voice if the classifier accepts it and it exceeds the noise floor, because hum can mislead
 * classifiers permanently. Speech starts after 50 ms of voice and ends after 200 ms without voice.
 */
export class VoiceActivity {
  readonly #classifier: VoiceClassifier
  readonly #rateHz: number
  readonly #floor = new NoiseFloor()
  readonly #echo = createEchoEstimator()
  #levelDb = SILENCE_DB
  #playedDb: number | null = null
  #isSpeaking = false
  #isEchoLike = false
  /** Start and duration of the current voice, and how long it has been louder than an echo. */
  #runStartMs = 0
  #runMs = 0
  #loudMs = 0
  #lastVoiceAtMs = 0

  constructor({ classifier, rateHz }: { classifier: VoiceClassifier; rateHz: number }) {
    this.#classifier = classifier
    this.#rateHz = rateHz
  }

  /** Processes the next frame. `endMs` is the time of its last sample. */
  push(frame: Frame, endMs: number): VoiceChange | null {
    const durationMs = (frame.length * 1000) / this.#rateHz
    const level = computeLevelDb(frame)
    this.#levelDb = level
    const isCompleteFrame = frame.length === countFrameSamples(this.#rateHz)
    const isVoiceLike = this.#classifier.isVoice(isCompleteFrame ? frame : fitFrame(frame, this.#rateHz))
    // Compare with the noise floor before this frame.
    const isVoice = isVoiceLike && level > MIN_VOICE_DB && level > this.#floor.levelDb + MIN_DB_ABOVE_FLOOR
    this.#floor.push(level, durationMs)
    this.#echo.push(this.#playedDb, level)
    if (isVoice) this.#extendRun(endMs, durationMs)
    else this.#stopRun()
    return this.#detectChange(endMs)
  }

  /** Sets the playback level before each frame if echo is not canceled, or `null` if nothing is played. */
  setEchoReference(playedDb: number | null): void {
    this.#playedDb = playedDb
  }

  close(): void {
    this.#classifier.close()
  }

  #extendRun(endMs: number, durationMs: number): void {
    if (this.#runMs === 0) this.#runStartMs = endMs - durationMs
    this.#runMs += durationMs
    this.#lastVoiceAtMs = endMs
    this.#loudMs = this.#levelDb > this.#echo.levelDb + MIN_DB_ABOVE_ECHO ? this.#loudMs + durationMs : 0
  }

  #stopRun(): void {
    this.#runMs = 0
    this.#loudMs = 0
  }

  #detectChange(endMs: number): VoiceChange | null {
    if (this.#isSpeaking && endMs - this.#lastVoiceAtMs >= END_MS) {
      this.#isSpeaking = false
      return { type: 'voice-ended', lastVoiceAtMs: this.#lastVoiceAtMs }
    }
    if (this.#runMs < START_MS) return null
    const isLoud = this.#loudMs >= START_MS
    if (this.#isSpeaking && !(this.#isEchoLike && isLoud)) return null
    const startedAtMs = this.#isSpeaking ? endMs - this.#loudMs : this.#runStartMs
    this.#isSpeaking = true
    this.#isEchoLike = !isLoud
    return { type: 'voice-started', startedAtMs, level: isLoud ? 'normal' : 'echo-like' }
  }
}

/** Fits a frame to the classifier, which accepts only complete frames. */
function fitFrame(frame: Frame, rateHz: number): Frame {
  const completeFrame = new Int16Array(countFrameSamples(rateHz))
  completeFrame.set(frame.subarray(0, completeFrame.length))
  return completeFrame
}

/** Duration and number of the windows whose minimum is tracked. Together they bound how long noise can pass as voice. */
const WINDOW_MS = 300
const WINDOWS = 6

/** Bounds of the noise floor: inaudible below, unintelligible speech above. */
const MIN_FLOOR_DB = -70
const MAX_FLOOR_DB = -20

/**
 * Tracks the background noise level with minimum statistics over 1.8 seconds (R. Martin 2001): speech has gaps between
 * syllables, and steady noise has none. Starts low, so that the first words of a call count as voice. This is a class, because
 * fields update in place for every frame, while closure variables allocate.
 */
class NoiseFloor {
  readonly #minima = new Float64Array(WINDOWS).fill(MIN_FLOOR_DB)
  #window = 0
  #windowMs = 0
  #currentMinimum = Number.POSITIVE_INFINITY
  #floorDb = MIN_FLOOR_DB

  get levelDb(): number {
    return this.#floorDb
  }

  /** Adds the level of the next part of the audio. */
  push(levelDb: number, durationMs: number): void {
    this.#currentMinimum = Math.min(this.#currentMinimum, levelDb)
    this.#windowMs += durationMs
    if (this.#windowMs >= WINDOW_MS) {
      this.#minima[this.#window] = this.#currentMinimum
      this.#window = (this.#window + 1) % WINDOWS
      this.#windowMs = 0
      this.#currentMinimum = Number.POSITIVE_INFINITY
    }
    let minimumDb = this.#currentMinimum
    for (const minimum of this.#minima) minimumDb = Math.min(minimumDb, minimum)
    this.#floorDb = Math.min(MAX_FLOOR_DB, Math.max(MIN_FLOOR_DB, minimumDb))
  }
}

/** Initial coupling, before any measurement: a phone on a table. */
const INITIAL_COUPLING_DB = -6
const MIN_COUPLING_DB = -60

/** Number of recent frames (320 ms) whose loudest one counts, because an echo may arrive that late. */
const HOLD_FRAMES = 16

/** Adaptation rates. The estimate rises slowly, because a caller who talks over the agent must not count as echo. */
const FALL_RATE = 0.05
const RISE_RATE = 0.004

/** Minimum playback level for estimating echoes. */
const MIN_REFERENCE_DB = -45

/** Creates an estimator of the agent's echo level, which learns the attenuation while the agent speaks. */
function createEchoEstimator() {
  const playedPeaks = createPeakHold()
  const microphonePeaks = createPeakHold()
  let couplingDb = INITIAL_COUPLING_DB
  let referenceFrames = 0
  return {
    /** Updates the estimate once per frame with the level being played (`null` for none) and the microphone level. */
    push(playedDb: number | null, microphoneDb: number): void {
      const peakPlayedDb = playedPeaks.push(playedDb ?? SILENCE_DB)
      const peakMicrophoneDb = microphonePeaks.push(microphoneDb)
      referenceFrames = peakPlayedDb < MIN_REFERENCE_DB ? 0 : referenceFrames + 1
      // The echo of the first frames may not have arrived yet.
      if (referenceFrames < HOLD_FRAMES) return
      const observedDb = Math.max(MIN_COUPLING_DB, Math.min(0, peakMicrophoneDb - peakPlayedDb))
      couplingDb += (observedDb - couplingDb) * (observedDb < couplingDb ? FALL_RATE : RISE_RATE)
    },
    /** Estimated echo level, or `SILENCE_DB` while nothing is played. */
    get levelDb(): number {
      return referenceFrames === 0 ? SILENCE_DB : playedPeaks.levelDb() + couplingDb
    },
  }
}

/** Creates a tracker of the maximum recent level. */
function createPeakHold() {
  const levels = new Float64Array(HOLD_FRAMES).fill(SILENCE_DB)
  let nextIndex = 0
  let peakDb = SILENCE_DB
  return {
    push(levelDb: number): number {
      const evictedDb = levels[nextIndex] as number
      levels[nextIndex] = levelDb
      nextIndex = (nextIndex + 1) % HOLD_FRAMES
      if (levelDb >= peakDb) peakDb = levelDb
      else if (evictedDb === peakDb) peakDb = Math.max(...levels)
      return peakDb
    },
    levelDb: () => peakDb,
  }
}
