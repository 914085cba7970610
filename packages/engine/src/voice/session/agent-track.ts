import type { Frame } from '../../audio/frame.ts'
import type { CallRecorder } from './session-ports.ts'

/** Where two reports of the same stretch differ by more, sound was held up on its way. */
const MAX_DRIFT_MS = 40

/** Frames that wait for a far end that tells nothing: 10 s. */
const MAX_PENDING_FRAMES = 500

interface SentFrame {
  readonly frame: Frame
  readonly startSample: number
  /** Grows with every beginning after silence: within a stretch frames are played one after another. */
  readonly segment: number
  /** Taken back when the stream stood there; `null`: on its way. */
  withdrawnAt: number | null
}

/** Puts what the agent said where the caller heard it, by the caller's clock. */
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

  /** The next frame is the first after a silence. */
  startSegment(): void {
    this.#segment += 1
  }

  /** A frame left; where it is heard is told later. */
  sent(frame: Frame, startSample: number): void {
    this.#frames.push({ frame, startSample, segment: this.#segment, withdrawnAt: null })
    if (this.#frames.length > MAX_PENDING_FRAMES) this.#frames.shift()
  }

  /** A frame is heard at this sample of the caller's. */
  placeFrame(frame: Frame, callerSample: number): void {
    this.#recorder.agent(frame, Math.max(0, callerSample))
  }

  withdraw(sentSamples: number): void {
    for (const sent of this.#frames) sent.withdrawnAt ??= sentSamples
  }

  /** So many samples of the stream had been played when the caller's end had recorded so many. */
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

  /** While more was to be played, the report tells exactly; afterwards silence may have gone by. */
  #shiftOf({ segment }: SentFrame, shift: number, isPlaying: boolean): number {
    const placed = this.#placed?.segment === segment ? this.#placed : null
    if (placed !== null && (!isPlaying || Math.abs(placed.shift - shift) < this.#maxDriftSamples)) return placed.shift
    this.#placed = { segment, shift }
    return shift
  }
}
