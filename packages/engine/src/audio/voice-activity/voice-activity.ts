import type { SpeechProbability } from '../../voice/ports.ts'
import { computeLevelDb, type Frame, SILENCE_DB } from '../frame.ts'
import { CallerLevel } from './caller-level.ts'
import { EchoEstimate, type EchoEstimateOptions } from './echo-estimate.ts'

/** Minimum duration of speech that starts voice, and minimum duration without speech that ends it. */
const START_MS = 96
const END_MS = 200
/** Duration without speech that pauses voice. */
const PAUSE_MS = 96
/** Duration of echo or background speech after which the caller's voice has ended. Quiet syllables are shorter. */
const OTHER_VOICE_END_MS = 400
/** Speech whose level is near the limit is classified after this duration, because syllables differ in level. */
const DOUBT_MS = 256
const DOUBT_DB = 3
/** Duration of recent speech whose level is averaged: ten windows of the classifier. */
const AVERAGED_WINDOWS = 10

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

/** The start or end of the caller's speech, or a pause in it. */
export type VoiceChange =
  | {
      readonly type: 'voice-started'
      /** Start of the first window with speech. */
      readonly startedAtMs: number
      /** Reported again as `normal` once an echo-like or background voice gets louder. */
      readonly level: VoiceLevel
    }
  /** Silence of 96 ms within a voice, or speech after it. */
  | { readonly type: 'voice-paused'; readonly isPaused: boolean }
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
  /** Whether the reported voice pauses. */
  #isPaused = false
  #lastVoiceAtMs = 0
  /** Last speech at the level of the reported voice. */
  #lastOwnVoiceAtMs = 0
  /** The background voice that was reported last, unless the caller has spoken since. */
  #background: { readonly startedAtMs: number; levelDb: number } | null = null

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

  /** Learns the caller's level from a background voice at a time, because its words answered the agent. */
  confirmCaller(voiceAtMs: number): void {
    if (this.#background !== null && this.#background.startedAtMs <= voiceAtMs)
      this.#caller.confirm(this.#background.levelDb)
  }

  #addSpeech({ levelDb, echoDb, soundEndMs }: AudioWindow, { endMs, durationMs }: WindowTime): void {
    const isEchoLike = levelDb <= echoDb + MIN_DB_ABOVE_ECHO
    this.#run.add({ levelDb, isEchoLike, startMs: endMs - durationMs, durationMs })
    this.#lastVoiceAtMs = Math.min(endMs, Math.round(soundEndMs))
    if (this.#level === 'background' && this.#background !== null) this.#background.levelDb = this.#run.maxLevelDb
    const isBackground = this.#caller.isBackground(levelDb)
    if (this.#level !== 'normal' || !(isEchoLike || isBackground)) this.#lastOwnVoiceAtMs = endMs
    if (isEchoLike) return
    if (this.#level === 'normal') this.#caller.addSpeech(levelDb, durationMs)
    else if (isBackground) this.#caller.addBackground(durationMs)
  }

  #detectChange(endMs: number): VoiceChange | null {
    const run = this.#run
    if (this.#level !== null && endMs - this.#lastVoiceAtMs >= END_MS) return this.#endVoice(this.#lastVoiceAtMs)
    // Echo or background speech that goes on is reported as a new voice.
    if (this.#level !== null && endMs - this.#lastOwnVoiceAtMs >= OTHER_VOICE_END_MS)
      return this.#endVoice(this.#lastOwnVoiceAtMs)
    if (this.#level === 'normal' && run.isLong && this.#classifyRun() === 'background')
      return this.#endVoice(Math.round(run.recentStartMs))
    if (run.durationMs < START_MS || this.#level === 'normal') return this.#detectPause(endMs)
    const level = this.#classifyRun()
    if (level === null || (this.#level !== null && level !== 'normal')) return this.#detectPause(endMs)
    const startMs = this.#level === null ? run.startMs : this.#findOwnStartMs()
    const startedAtMs = Math.round(startMs)
    this.#level = level
    this.#isPaused = false
    this.#lastOwnVoiceAtMs = this.#lastVoiceAtMs
    if (level !== 'echo-like')
      this.#background = level === 'background' ? { startedAtMs, levelDb: run.maxLevelDb } : null
    return { type: 'voice-started', startedAtMs, level }
  }

  #detectPause(endMs: number): VoiceChange | null {
    const isPaused = this.#level !== null && endMs - this.#lastVoiceAtMs >= PAUSE_MS
    if (isPaused === this.#isPaused) return null
    this.#isPaused = isPaused
    return { type: 'voice-paused', isPaused }
  }

  /** Returns the level of the recent speech, or `null` while it is in doubt. */
  #classifyRun(): VoiceLevel | null {
    const run = this.#run
    if (run.isEchoLike) return 'echo-like'
    const { levelDb, durationMs } = run
    const isInDoubt = this.#caller.isBackground(levelDb - DOUBT_DB) && !this.#caller.isBackground(levelDb + DOUBT_DB)
    if (isInDoubt && durationMs < DOUBT_MS) return null
    return this.#caller.isBackground(levelDb) ? 'background' : 'normal'
  }

  /** Returns the start of the recent speech at the caller's level. */
  #findOwnStartMs(): number {
    const isOwn = ({ levelDb, isEchoLike }: SpeechWindow) => !isEchoLike && !this.#caller.isBackground(levelDb)
    return this.#run.windows.find(isOwn)?.startMs ?? this.#run.recentStartMs
  }

  #endVoice(lastVoiceAtMs: number): VoiceChange {
    this.#run.clear()
    this.#level = null
    this.#isPaused = false
    return { type: 'voice-ended', lastVoiceAtMs }
  }
}

interface WindowTime {
  readonly endMs: number
  readonly durationMs: number
}

interface SpeechWindow {
  readonly levelDb: number
  readonly isEchoLike: boolean
  readonly startMs: number
  readonly durationMs: number
}

/** Consecutive windows with speech. */
class SpeechRun {
  startMs = 0
  durationMs = 0
  /** Maximum level. */
  maxLevelDb = SILENCE_DB
  /** The most recent windows, at most `AVERAGED_WINDOWS`. */
  windows: SpeechWindow[] = []

  /** Whether the run is longer than the speech that is averaged. */
  get isLong(): boolean {
    return this.windows.length === AVERAGED_WINDOWS
  }

  get recentStartMs(): number {
    return this.windows[0]?.startMs ?? this.startMs
  }

  /** Whether most of the recent speech is no louder than an echo. */
  get isEchoLike(): boolean {
    return this.windows.filter(({ isEchoLike }) => isEchoLike).length > this.windows.length / 2
  }

  /** Average level of the recent speech that is no echo. */
  get levelDb(): number {
    const energies = this.windows.flatMap(({ levelDb, isEchoLike }) => (isEchoLike ? [] : [10 ** (levelDb / 10)]))
    if (energies.length === 0) return SILENCE_DB
    return 10 * Math.log10(energies.reduce((sum, energy) => sum + energy) / energies.length)
  }

  add(window: SpeechWindow): void {
    if (this.durationMs === 0) this.startMs = window.startMs
    this.durationMs += window.durationMs
    this.maxLevelDb = Math.max(this.maxLevelDb, window.levelDb)
    this.windows.push(window)
    if (this.windows.length > AVERAGED_WINDOWS) this.windows.shift()
  }

  clear(): void {
    this.durationMs = 0
    this.maxLevelDb = SILENCE_DB
    this.windows = []
  }
}

interface AudioFrame {
  readonly startSample: number
  readonly endSample: number
  readonly endMs: number
  readonly levelDb: number
  /** Estimated level of the agent's echo. */
  readonly echoDb: number
}

/** A window of the classifier, which is longer than a frame. */
interface AudioWindow extends AudioFrame {
  /** End of the last loud frame, because speech can end within the window. */
  readonly soundEndMs: number
}

/** A frame this far below the loudest one of its window is silence after speech. */
const QUIET_DB = 15

/** Number of frames to keep for late results: one second. */
const MAX_FRAMES = 50

/** Levels of recent frames. */
class RecentFrames {
  readonly #frames: AudioFrame[] = []
  #nextIndex = 0

  push(frame: AudioFrame): void {
    this.#frames[this.#nextIndex] = frame
    this.#nextIndex = (this.#nextIndex + 1) % MAX_FRAMES
  }

  /** Returns the maximum levels of the frames in a window with the time of the last one, or `null` if none is kept. */
  findWindow(startSample: number, endSample: number): AudioWindow | null {
    const frames: AudioFrame[] = []
    for (let age = 1; age <= MAX_FRAMES; age += 1) {
      const frame = this.#frames[(this.#nextIndex - age + MAX_FRAMES) % MAX_FRAMES]
      if (frame === undefined || frame.endSample <= startSample) break
      if (frame.startSample >= endSample) continue
      frames.push(frame)
    }
    const [lastFrame] = frames
    if (lastFrame === undefined) return null
    const levelDb = Math.max(...frames.map((frame) => frame.levelDb))
    const echoDb = Math.max(...frames.map((frame) => frame.echoDb))
    const { endMs: soundEndMs } = frames.find((frame) => frame.levelDb > levelDb - QUIET_DB) ?? lastFrame
    return { ...lastFrame, levelDb, echoDb, soundEndMs }
  }
}
