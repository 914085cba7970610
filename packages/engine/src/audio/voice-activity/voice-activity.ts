import type { SpeechProbability } from '../../voice/ports.ts'
import { computeLevelDb, type Frame, SILENCE_DB } from '../frame.ts'
import { CallerLevel } from './caller-level.ts'
import { EchoEstimate, type EchoEstimateOptions } from './echo-estimate.ts'

/** Minimum duration of speech that starts voice, and minimum duration without speech that ends it. */
const START_MS = 96
const END_MS = 200
/** Duration of echo or background speech after which the caller's voice has ended. Quiet syllables are shorter. */
const OTHER_VOICE_END_MS = 400
/** Minimum share of speech at the caller's level that makes a voice normal. Loud syllables of others are rarer. */
const NORMAL_SHARE = 0.5
/** Older speech loses half of its weight in this time. */
const SHARE_HALF_LIFE_MS = 200

/** Minimum probability of speech, which is lower until the first windows have started a voice. */
const MIN_PROBABILITY = 0.5
const MIN_STARTING_PROBABILITY = 0.35

/** Minimum level of audible speech, and minimum level above the expected echo. */
const MIN_VOICE_DB = -58
const MIN_DB_ABOVE_ECHO = 6

/** Longest window of a classifier. A longer distance between results means lost audio. */
const MAX_WINDOW_MS = 40

/**
 * The kind of voice by its level. `echo-like`: no louder than the agent's echo. `background`: far quieter than the caller, such
 * as a television. All other voice is `normal`.
 */
export type VoiceLevel = 'normal' | 'echo-like' | 'background'

/** The start or end of the caller's speech. */
export type VoiceChange =
  | {
      readonly type: 'voice-started'
      /** Start of the first window with speech. */
      readonly startedAtMs: number
      /** Reported again as `normal` once an echo-like or background voice gets louder. */
      readonly level: VoiceLevel
    }
  | {
      readonly type: 'voice-ended'
      /** End of the last window with speech. Results can be late, so this time can be long ago. */
      readonly lastVoiceAtMs: number
    }

interface FramePosition {
  readonly endSample: number
  /** Time of the frame's last sample. */
  readonly endMs: number
  /** Level of the agent's audio being sent, or `null` if none is sent. */
  readonly playedDb: number | null
}

/**
 * Detects the caller's voice from frames and from the speech probabilities of a classifier, which can arrive later than the
 * frames. Voice starts after 96 ms of speech and ends after 200 ms without speech.
 */
export class VoiceActivity {
  readonly #samplesPerMs: number
  readonly #frames = new RecentFrames()
  readonly #caller = new CallerLevel()
  readonly #echo: EchoEstimate
  readonly #run = new SpeechRun()
  #windowEndSample: number | null = null
  /** Level of the reported voice, or `null` during silence. */
  #level: VoiceLevel | null = null
  #lastVoiceAtMs = 0
  /** Last speech at the level of the reported voice. */
  #lastOwnVoiceAtMs = 0
  #lastRunLevelDb = SILENCE_DB

  constructor({ rateHz, ...echo }: EchoEstimateOptions & { readonly rateHz: number }) {
    this.#samplesPerMs = rateHz / 1_000
    this.#echo = new EchoEstimate(echo)
  }

  /** Adds the next frame before its probability. */
  pushFrame(frame: Frame, { endSample, endMs, playedDb }: FramePosition): void {
    const levelDb = computeLevelDb(frame)
    this.#echo.push(playedDb, levelDb)
    this.#windowEndSample ??= endSample - frame.length
    this.#frames.push({ startSample: endSample - frame.length, endSample, endMs, levelDb, echoDb: this.#echo.levelDb })
  }

  /** Processes the next result of the classifier. */
  pushProbability({ endSample, probability }: SpeechProbability): VoiceChange | null {
    const startSample = Math.max(this.#windowEndSample ?? 0, endSample - MAX_WINDOW_MS * this.#samplesPerMs)
    this.#windowEndSample = endSample
    const window = this.#frames.findWindow(startSample, endSample)
    if (window === null) return null
    const endMs = Math.round(window.endMs - (window.endSample - endSample) / this.#samplesPerMs)
    const durationMs = (endSample - startSample) / this.#samplesPerMs
    const isStarting = this.#level === null && this.#run.durationMs > 0
    const minProbability = isStarting ? MIN_STARTING_PROBABILITY : MIN_PROBABILITY
    if (probability >= minProbability && window.levelDb > MIN_VOICE_DB) this.#addSpeech(window, { endMs, durationMs })
    else this.#run.clear()
    return this.#detectChange(endMs)
  }

  /** Learns the level of the recent voice, because its words answered the agent. */
  confirmCaller(): void {
    this.#caller.confirm(this.#lastRunLevelDb)
  }

  #addSpeech({ levelDb, echoDb }: AudioWindow, { endMs, durationMs }: WindowTime): void {
    const level = this.#classifyLevel(levelDb, echoDb)
    this.#run.add({ level, levelDb, startMs: endMs - durationMs, durationMs })
    this.#lastVoiceAtMs = endMs
    this.#lastRunLevelDb = this.#run.levelDb
    if (this.#level !== 'normal' || level === 'normal') this.#lastOwnVoiceAtMs = endMs
    if (this.#level === 'normal' && level !== 'echo-like') this.#caller.addSpeech(levelDb, durationMs)
    else if (level === 'background') this.#caller.addBackground(durationMs)
  }

  #classifyLevel(levelDb: number, echoDb: number): VoiceLevel {
    if (levelDb <= echoDb + MIN_DB_ABOVE_ECHO) return 'echo-like'
    return this.#caller.isBackground(levelDb) ? 'background' : 'normal'
  }

  #detectChange(endMs: number): VoiceChange | null {
    const run = this.#run
    if (this.#level !== null && endMs - this.#lastVoiceAtMs >= END_MS) return this.#endVoice(this.#lastVoiceAtMs)
    // Echo or background speech that goes on is reported as a new voice.
    if (this.#level !== null && endMs - this.#lastOwnVoiceAtMs >= OTHER_VOICE_END_MS)
      return this.#endVoice(this.#lastOwnVoiceAtMs)
    if (run.durationMs < START_MS || this.#level === 'normal') return null
    const level = run.normalShare >= NORMAL_SHARE ? 'normal' : run.isEchoLike ? 'echo-like' : 'background'
    if (this.#level !== null && level !== 'normal') return null
    const startedAtMs = Math.round(this.#level === null ? run.startMs : run.normalStartMs)
    this.#level = level
    this.#lastOwnVoiceAtMs = this.#lastVoiceAtMs
    return { type: 'voice-started', startedAtMs, level }
  }

  #endVoice(lastVoiceAtMs: number): VoiceChange {
    this.#run.clear()
    this.#level = null
    return { type: 'voice-ended', lastVoiceAtMs }
  }
}

interface WindowTime {
  readonly endMs: number
  readonly durationMs: number
}

/** Consecutive windows with speech. */
class SpeechRun {
  startMs = 0
  durationMs = 0
  /** Start of the speech at the caller's level since the last echo. */
  normalStartMs = 0
  /** Maximum level. */
  levelDb = SILENCE_DB
  #hasNormal = false
  #echoMs = 0
  #recentMs = 0
  #recentNormalMs = 0

  /** Share of the recent speech that is at the caller's level. */
  get normalShare(): number {
    return this.#recentMs === 0 ? 0 : this.#recentNormalMs / this.#recentMs
  }

  /** Whether most of the speech is no louder than an echo. */
  get isEchoLike(): boolean {
    return this.#echoMs > this.durationMs / 2
  }

  add(window: { level: VoiceLevel; levelDb: number; startMs: number; durationMs: number }): void {
    const { level, levelDb, startMs, durationMs } = window
    if (this.durationMs === 0) this.startMs = startMs
    this.durationMs += durationMs
    this.levelDb = Math.max(this.levelDb, levelDb)
    const decay = 0.5 ** (durationMs / SHARE_HALF_LIFE_MS)
    this.#recentMs = this.#recentMs * decay + durationMs
    this.#recentNormalMs *= decay
    if (level === 'normal') {
      if (!this.#hasNormal) this.normalStartMs = startMs
      this.#hasNormal = true
      this.#recentNormalMs += durationMs
    } else if (level === 'echo-like') {
      this.#hasNormal = false
      this.#echoMs += durationMs
    }
  }

  clear(): void {
    this.durationMs = 0
    this.levelDb = SILENCE_DB
    this.#hasNormal = false
    this.#echoMs = 0
    this.#recentMs = 0
    this.#recentNormalMs = 0
  }
}

interface AudioWindow {
  readonly startSample: number
  readonly endSample: number
  readonly endMs: number
  readonly levelDb: number
  /** Estimated level of the agent's echo. */
  readonly echoDb: number
}

/** Number of frames to keep for late results: one second. */
const MAX_FRAMES = 50

/** Levels of recent frames. */
class RecentFrames {
  readonly #frames: AudioWindow[] = []
  #nextIndex = 0

  push(frame: AudioWindow): void {
    this.#frames[this.#nextIndex] = frame
    this.#nextIndex = (this.#nextIndex + 1) % MAX_FRAMES
  }

  /** Returns the maximum levels of the frames in a window with the time of the last one, or `null` if none is kept. */
  findWindow(startSample: number, endSample: number): AudioWindow | null {
    let lastFrame: AudioWindow | null = null
    let levelDb = SILENCE_DB
    let echoDb = SILENCE_DB
    for (let age = 1; age <= MAX_FRAMES; age += 1) {
      const frame = this.#frames[(this.#nextIndex - age + MAX_FRAMES) % MAX_FRAMES]
      if (frame === undefined || frame.endSample <= startSample) break
      if (frame.startSample >= endSample) continue
      lastFrame ??= frame
      levelDb = Math.max(levelDb, frame.levelDb)
      echoDb = Math.max(echoDb, frame.echoDb)
    }
    return lastFrame === null ? null : { ...lastFrame, levelDb, echoDb }
  }
}
