import type { Frame } from '../../audio/frame.ts'
import type { CallRecorder } from './session-ports.ts'

/** Reports of one segment that differ by more than this mean delayed audio. */
const MAX_DRIFT_MS = 40

/** Frames kept while the client reports nothing: 10 s. */
const MAX_PENDING_FRAMES = 500

interface SentFrame {
  readonly frame: Frame
  readonly startSample: number
  /** Incremented after every silence: frames of a segment play back to back. */
  readonly segment: number
  /** Stream position at the withdrawal; `null` while in flight. */
  withdrawnAt: number | null
}

/** Records agent audio at the caller-clock position where the caller heard it. */
export class AgentTrack {
  readonly #recorder: CallRecorder
  readonly #maxDriftSamples: number
  #frames: SentFrame[] = []
  #segment = 0
  #placed: { readonly segment: number; readonly shift: number } | null = null

  constructor(recorder: CallRecorder, rateHz: number) {
    this.#recorder = recorder
    this.#maxDriftSamples = (MAX_DRIFT_MS * rateHz) / 1_000
  }

  /** The next frame follows a silence. */
  startSegment(): void {
    this.#segment += 1
  }

  /** Keeps a sent frame until its playback is reported. */
  sent(frame: Frame, startSample: number): void {
    this.#frames.push({ frame, startSample, segment: this.#segment, withdrawnAt: null })
    if (this.#frames.length > MAX_PENDING_FRAMES) this.#frames.shift()
  }

  /** Records a frame at a sample of the caller clock. */
  placeFrame(frame: Frame, callerSample: number): void {
    this.#recorder.agent(frame, Math.max(0, callerSample))
  }

  withdraw(sentSamples: number): void {
    for (const sent of this.#frames) sent.withdrawnAt ??= sentSamples
  }

  /** The client had played `playedSamples` when it had recorded `capturedSamples`. */
  played(playedSamples: number, capturedSamples: number, sentSamples: number): void {
    const shift = capturedSamples - playedSamples
    let count = 0
    for (const sent of this.#frames) {
      const { frame, startSample, withdrawnAt } = sent
      if (startSample + frame.length > playedSamples) break
      count += 1
      if (withdrawnAt !== null && playedSamples > withdrawnAt) continue
      this.placeFrame(frame, startSample + this.#shiftOf(sent, shift, playedSamples < sentSamples))
    }
    this.#frames.splice(0, count)
    const head = this.#frames[0]
    if (head?.withdrawnAt != null && playedSamples >= head.withdrawnAt) {
      this.#frames = this.#frames.filter(({ withdrawnAt }) => withdrawnAt === null || withdrawnAt > playedSamples)
    }
  }

  /** Reports are exact while more audio is queued; afterwards silence may have passed. */
  #shiftOf({ segment }: SentFrame, shift: number, isPlaying: boolean): number {
    const placed = this.#placed?.segment === segment ? this.#placed : null
    if (placed !== null && (!isPlaying || Math.abs(placed.shift - shift) < this.#maxDriftSamples)) return placed.shift
    this.#placed = { segment, shift }
    return shift
  }
}
