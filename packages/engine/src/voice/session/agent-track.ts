import type { Frame } from '../../audio/frame.ts'
import type { CallTape } from './session-ports.ts'

/** Where two reports of the same stretch differ by more, sound was held up on its way. */
const MOST_SLIP_MS = 40

/** Frames that wait for a far end that tells nothing: 10 s. */
const MOST_WAITING = 500

interface SentFrame {
  readonly frame: Frame
  readonly startSample: number
  /** Grows with every beginning after silence: within a stretch frames are played one after another. */
  readonly stretch: number
  /** Taken back when the stream stood there; `null`: on its way. */
  withdrawnAt: number | null
}

/** Puts what the agent said where the caller heard it, by the caller's clock. */
export class AgentTrack {
  readonly #tape: CallTape
  readonly #slipSamples: number
  #frames: SentFrame[] = []
  #stretch = 0
  #placed: { readonly stretch: number; readonly shift: number } | null = null

  constructor(tape: CallTape, rateHz: number) {
    this.#tape = tape
    this.#slipSamples = (MOST_SLIP_MS * rateHz) / 1_000
  }

  /** The next frame is the first after a silence. */
  beginStretch(): void {
    this.#stretch += 1
  }

  /** A frame left; where it is heard is told later. */
  sent(frame: Frame, startSample: number): void {
    this.#frames.push({ frame, startSample, stretch: this.#stretch, withdrawnAt: null })
    if (this.#frames.length > MOST_WAITING) this.#frames.shift()
  }

  /** A frame is heard at this sample of the caller's. */
  sentTo(frame: Frame, callerSample: number): void {
    this.#tape.agent(frame, Math.max(0, callerSample))
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
      this.sentTo(frame, startSample + this.#shiftOf(sent, shift, playedSamples < sentSamples))
    }
    this.#frames.splice(0, count)
    const head = this.#frames[0]
    if (head?.withdrawnAt != null && playedSamples >= head.withdrawnAt) {
      this.#frames = this.#frames.filter(({ withdrawnAt }) => withdrawnAt === null || withdrawnAt > playedSamples)
    }
  }

  /** While more was to be played, the report tells exactly; afterwards silence may have gone by. */
  #shiftOf({ stretch }: SentFrame, shift: number, isPlaying: boolean): number {
    const placed = this.#placed?.stretch === stretch ? this.#placed : null
    if (placed !== null && (!isPlaying || Math.abs(placed.shift - shift) < this.#slipSamples)) return placed.shift
    this.#placed = { stretch, shift }
    return shift
  }
}
