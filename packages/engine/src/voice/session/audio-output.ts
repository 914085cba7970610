import { FRAME_MS, type Frame } from '../../audio/frame.ts'
import { levelDb } from '../../audio/level.ts'
import type { Mixer } from '../../audio/mixer.ts'
import type { Playout, SpeechFrame } from '../../audio/playout.ts'
import type { MediaLeg } from '../ports.ts'
import { AgentTrack } from './agent-track.ts'
import type { CallerClock } from './caller-clock.ts'
import type { CallRecorder } from './session-ports.ts'

/** Frames that are sent at once after a hiccup; what is later than that is not caught up. */
const MAX_CATCH_UP_FRAMES = 3
/** What sounds without speech is sent no further ahead: words that come next are heard behind it. */
const BACKGROUND_LEAD_MS = 100

export interface AudioOutputOptions {
  readonly leg: MediaLeg
  readonly playout: Playout
  readonly mixer: Mixer
  readonly callerClock: CallerClock
  readonly recorder: CallRecorder | null
  /** First frames of utterances left; `dueAtMs`: when the caller hears them, as far as that is known here. */
  readonly onStarted: (utteranceIds: readonly string[], dueAtMs: number) => void
  /** Speech goes on after it had stopped. */
  readonly onResumed: (moved: SpeechFrame['moved'], dueAtMs: number) => void
  readonly onEnded: (utteranceIds: readonly string[]) => void
}

/** Sends what is due: speech with what sounds behind it, at the pace at which it is played. */
export class AudioOutput {
  readonly #options: AudioOutputOptions
  readonly #track: AgentTrack | null
  /** When the next frame is to be played; `null`: nothing was sent lately. */
  #dueMs: number | null = null
  #isLost = false
  /** Where the stream stood when it was cleared: what was sent before is not played any more. */
  #clearedAt = 0
  #playedDb: number | null = null

  constructor(options: AudioOutputOptions) {
    this.#options = options
    const { leg, recorder } = options
    this.#track = recorder === null ? null : new AgentTrack(recorder, leg.rateHz)
  }

  /** How loud what is being sent is; `null`: nothing is. */
  get playedDb(): number | null {
    return this.#playedDb
  }

  pump(nowMs: number): void {
    if (this.#isLost) return
    const { leg, playout } = this.#options
    this.#catchUp(nowMs)
    // Those that leave with the first one leave early.
    let earlyMs = 0
    for (;;) {
      const dueMs = this.#dueMs ?? nowMs
      if (dueMs - leg.leadMs - earlyMs > nowMs) break
      if (dueMs - BACKGROUND_LEAD_MS > nowMs && !playout.isReady) break
      earlyMs = (leg.framesTogether - 1) * FRAME_MS
      if (!this.#sendNext(dueMs)) {
        // The last frame has been played: the next one begins a stretch of its own.
        if (dueMs <= nowMs) this.#dueMs = null
        break
      }
      this.#dueMs = dueMs + FRAME_MS
    }
    if (!leg.capabilities.reportsPlayed) this.#countPlayed(nowMs)
  }

  /** The far end told how far it came. */
  played(playedSamples: number, capturedSamples: number): void {
    const { playout } = this.#options
    this.#track?.played(playedSamples, capturedSamples, playout.sentSamples)
    this.#options.onEnded(playout.played(playedSamples).ended)
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
    this.#clearedAt = sentSamples
    this.#dueMs = null
    this.#playedDb = null
  }

  #catchUp(nowMs: number): void {
    if (this.#dueMs === null) return
    const late = Math.floor((nowMs - this.#dueMs) / FRAME_MS)
    if (late <= MAX_CATCH_UP_FRAMES) return
    this.#dueMs = nowMs - MAX_CATCH_UP_FRAMES * FRAME_MS
  }

  #sendNext(dueMs: number): boolean {
    const { leg, playout, mixer } = this.#options
    const speech = playout.nextFrame()
    const frame = mixer.mix(speech?.frame ?? null)
    if (frame === null) {
      this.#playedDb = null
      return false
    }
    if (this.#dueMs === null) this.#track?.startSegment()
    const startSample = speech?.startSample ?? playout.recordSent(frame.length)
    leg.send(frame, startSample)
    this.#record(frame, startSample, dueMs)
    // The level only matters where echo comes back.
    this.#playedDb = leg.capabilities.cancelsEcho ? null : levelDb(frame)
    if (speech !== null && speech.started.length > 0) this.#options.onStarted(speech.started, dueMs)
    if (speech !== null && speech.moved.length > 0) this.#options.onResumed(speech.moved, dueMs)
    return true
  }

  #record(frame: Frame, startSample: number, dueMs: number): void {
    const { leg, callerClock } = this.#options
    if (leg.capabilities.reportsPlayed) this.#track?.sent(frame, startSample)
    else this.#track?.placeFrame(frame, callerClock.sampleAt(dueMs))
  }

  /** What was sent counts as played when its time has passed. */
  #countPlayed(nowMs: number): void {
    const { playout, leg } = this.#options
    const aheadMs = this.#dueMs === null ? 0 : Math.max(0, this.#dueMs - nowMs)
    const played = playout.sentSamples - Math.round((aheadMs * leg.rateHz) / 1_000)
    if (played > this.#clearedAt && played > playout.playedSamples) this.#options.onEnded(playout.played(played).ended)
  }
}
