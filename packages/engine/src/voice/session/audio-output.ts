import { computeLevelDb, FRAME_MS, type Frame, SILENCE_DB } from '../../audio/frame.ts'
import type { Mixer } from '../../audio/mixer.ts'
import type { Playout, SpeechFrame } from '../../audio/playout.ts'
import type { MediaLeg } from '../ports.ts'
import type { CallRecorder } from './session-ports.ts'
import type { CallerClock } from './speech-input.ts'

/** Number of frames to catch up after a delay. Later frames are dropped. */
const MAX_CATCH_UP_FRAMES = 3
/** Maximum lead of background audio, so that speech can follow soon. */
const BACKGROUND_LEAD_MS = 100

/** Short enough to be heard as immediate, and long enough not to click. */
const DUCKING_RAMP_MS = 60

interface AudioOutputOptions {
  readonly leg: MediaLeg
  readonly playout: Playout
  readonly mixer: Mixer
  readonly callerClock: CallerClock
  readonly recorder: CallRecorder | null
  /** Called when an utterance's first frames were sent. The caller hears them at about `dueAtMs`. */
  readonly onStarted: (utteranceIds: readonly string[], dueAtMs: number) => void
  /** Called when speech continues after a gap. */
  readonly onResumed: (moved: SpeechFrame['repositioned'], dueAtMs: number) => void
  readonly onEnded: (utteranceIds: readonly string[]) => void
}

/** Sends speech and background sound at playback speed. */
export class AudioOutput {
  readonly #options: AudioOutputOptions
  readonly #track: AgentTrack | null
  /** Playback time of the next frame, or `null` after a silence. */
  #dueMs: number | null = null
  #isLost = false
  /** Stream position of the last clear. Audio sent before this position is not played. */
  #clearedAtSample = 0
  #playedDb: number | null = null

  constructor(options: AudioOutputOptions) {
    this.#options = options
    const { leg, recorder } = options
    this.#track = recorder === null ? null : new AgentTrack(recorder, leg.rateHz)
  }

  /** Returns the level of the loudest frame sent since the last call, or `null` if none was sent. */
  takePlayedDb(): number | null {
    const playedDb = this.#playedDb
    this.#playedDb = null
    return playedDb
  }

  pump(nowMs: number): void {
    if (this.#isLost) return
    const { leg, playout } = this.#options
    this.#catchUp(nowMs)
    // The other frames in a group are sent early, together with the first one.
    let earlyMs = 0
    for (;;) {
      const dueMs = this.#dueMs ?? nowMs
      if (dueMs - leg.leadMs - earlyMs > nowMs) break
      if (dueMs - BACKGROUND_LEAD_MS > nowMs && !playout.isReady) break
      earlyMs = (leg.framesPerMessage - 1) * FRAME_MS
      if (!this.#sendNext(dueMs)) {
        // The last frame has been played, so the next frame starts a new segment.
        if (dueMs <= nowMs) this.#dueMs = null
        break
      }
      this.#dueMs = dueMs + FRAME_MS
    }
    if (!leg.capabilities.reportsPlayed) this.#countPlayed(nowMs)
  }

  /** Handles a playback report. */
  handleReport(playedSamples: number, capturedSamples: number): void {
    const { playout } = this.#options
    this.#track?.handleReport(playedSamples, capturedSamples, playout.sentSamples)
    this.#options.onEnded(playout.recordPlayed(playedSamples).ended)
  }

  /** Lowers the agent's voice by `db` decibels, or restores it with 0. Audio that was already sent is lowered if possible. */
  duck(db: number): void {
    const { leg, mixer } = this.#options
    if (leg.attenuate === undefined) mixer.setDucking(db)
    else leg.attenuate(db, DUCKING_RAMP_MS)
  }

  pause(): void {
    this.#options.playout.pause()
    this.#clear()
  }

  resume(): void {
    this.#options.playout.resume()
  }

  clear(): void {
    this.#options.playout.clear()
    this.#clear()
  }

  suspend(): void {
    this.#isLost = true
    this.#dueMs = null
  }

  restore(): void {
    this.#isLost = false
    this.#dueMs = null
  }

  #clear(): void {
    const { sentSamples } = this.#options.playout
    this.#options.leg.clear()
    this.#track?.withdraw(sentSamples)
    this.#clearedAtSample = sentSamples
    this.#dueMs = null
  }

  #catchUp(nowMs: number): void {
    if (this.#dueMs === null) return
    const lateFrames = Math.floor((nowMs - this.#dueMs) / FRAME_MS)
    if (lateFrames <= MAX_CATCH_UP_FRAMES) return
    this.#dueMs = nowMs - MAX_CATCH_UP_FRAMES * FRAME_MS
  }

  #sendNext(dueMs: number): boolean {
    const { leg, playout, mixer } = this.#options
    const speech = playout.takeNextFrame()
    const frame = mixer.mix(speech?.frame ?? null)
    if (frame === null) return false
    if (this.#dueMs === null) this.#track?.startSegment()
    const startSample = speech?.startSample ?? playout.recordSent(frame.length)
    leg.send(frame, startSample)
    this.#record(frame, startSample, dueMs)
    this.#playedDb = Math.max(this.#playedDb ?? SILENCE_DB, computeLevelDb(frame))
    if (speech !== null && speech.started.length > 0) this.#options.onStarted(speech.started, dueMs)
    if (speech !== null && speech.repositioned.length > 0) this.#options.onResumed(speech.repositioned, dueMs)
    return true
  }

  #record(frame: Frame, startSample: number, dueMs: number): void {
    const { leg, callerClock } = this.#options
    if (leg.capabilities.reportsPlayed) this.#track?.addSentFrame(frame, startSample)
    else this.#track?.placeFrame(frame, callerClock.getSampleAt(dueMs))
  }

  /** Counts audio as played once its time has passed. */
  #countPlayed(nowMs: number): void {
    const { playout, leg } = this.#options
    const aheadMs = this.#dueMs === null ? 0 : Math.max(0, this.#dueMs - nowMs)
    const playedSamples = playout.sentSamples - Math.round((aheadMs * leg.rateHz) / 1_000)
    if (playedSamples > this.#clearedAtSample && playedSamples > playout.playedSamples)
      this.#options.onEnded(playout.recordPlayed(playedSamples).ended)
  }
}

/** Maximum difference between reports in one segment. A larger difference means that audio was delayed. */
const MAX_DRIFT_MS = 40

/** Maximum number of frames to keep while the client sends no reports: 10 s. */
const MAX_PENDING_FRAMES = 500

interface SentFrame {
  readonly frame: Frame
  readonly startSample: number
  /** Incremented after every silence. Frames in one segment play back to back. */
  readonly segment: number
  /** Stream position at the withdrawal, or `null` while in flight. */
  withdrawnAtSample: number | null
}

/** Records agent audio at the caller-clock position at which the caller heard it. */
class AgentTrack {
  readonly #recorder: CallRecorder
  readonly #maxDriftSamples: number
  #frames: SentFrame[] = []
  #segment = 0
  #lastPlacement: { readonly segment: number; readonly shift: number } | null = null

  constructor(recorder: CallRecorder, rateHz: number) {
    this.#recorder = recorder
    this.#maxDriftSamples = (MAX_DRIFT_MS * rateHz) / 1_000
  }

  /** Starts a new segment, because the next frame follows a silence. */
  startSegment(): void {
    this.#segment += 1
  }

  /** Keeps a sent frame until the client reports its playback. */
  addSentFrame(frame: Frame, startSample: number): void {
    this.#frames.push({ frame, startSample, segment: this.#segment, withdrawnAtSample: null })
    if (this.#frames.length > MAX_PENDING_FRAMES) this.#frames.shift()
  }

  /** Records a frame at a sample position on the caller clock. */
  placeFrame(frame: Frame, callerSample: number): void {
    this.#recorder.recordAgent(frame, Math.max(0, callerSample))
  }

  withdraw(sentSamples: number): void {
    for (const sentFrame of this.#frames) sentFrame.withdrawnAtSample ??= sentSamples
  }

  /** Handles a playback report: the client had played `playedSamples` when it had recorded `capturedSamples`. */
  handleReport(playedSamples: number, capturedSamples: number, sentSamples: number): void {
    const shift = capturedSamples - playedSamples
    let count = 0
    for (const sentFrame of this.#frames) {
      const { frame, startSample, withdrawnAtSample } = sentFrame
      if (startSample + frame.length > playedSamples) break
      count += 1
      if (withdrawnAtSample !== null && playedSamples > withdrawnAtSample) continue
      this.placeFrame(frame, startSample + this.#getShift(sentFrame, shift, playedSamples < sentSamples))
    }
    this.#frames.splice(0, count)
    const oldestFrame = this.#frames[0]
    if (oldestFrame?.withdrawnAtSample != null && playedSamples >= oldestFrame.withdrawnAtSample) {
      this.#frames = this.#frames.filter(
        ({ withdrawnAtSample }) => withdrawnAtSample === null || withdrawnAtSample > playedSamples,
      )
    }
  }

  /** Returns a frame's shift. Reports are exact while more audio is queued; afterwards, silence may have passed. */
  #getShift({ segment }: SentFrame, shift: number, isPlaying: boolean): number {
    const placedSegment = this.#lastPlacement?.segment === segment ? this.#lastPlacement : null
    if (placedSegment !== null && (!isPlaying || Math.abs(placedSegment.shift - shift) < this.#maxDriftSamples))
      return placedSegment.shift
    this.#lastPlacement = { segment, shift }
    return shift
  }
}
