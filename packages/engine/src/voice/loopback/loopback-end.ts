import { FRAME_MS, type Frame, frameSamples, type LegRateHz } from '../../audio/frame.ts'
import type { Clock } from '../../ports.ts'
import type { LegCapabilities, LegEvents, MediaLeg, TranscriberEvent } from '../ports.ts'

/** One end of a connection within the process. What a caller can do beside speaking is done by its other end. */
export interface LoopbackEnd extends MediaLeg {
  sendDtmf(digits: string): void
  sendText(text: string): void
  /** Sends what this end's own transcriber understood. */
  sendRecognized(event: Exclude<TranscriberEvent, { type: 'failed' }>): void
  /** This end recognizes speech no more. */
  failRecognition(): void
  hangUp(): void
  /** Frames that did not arrive at this end. */
  readonly lostFrames: number
  /** Frames of this end that found no room. */
  readonly droppedFrames: number
  /** `close` was called, or the connection has ended. */
  readonly isClosing: boolean
}

/** Both ends have the same capabilities: all of them unless told otherwise. */
export interface LoopbackOptions extends Partial<LegCapabilities> {
  readonly clock: Omit<Clock, 'after'>
  readonly rateHz: LegRateHz
  /** How far ahead of real time each end may send; 60 ms unless given. */
  readonly leadMs?: number
  readonly framesTogether?: number
  /** How long a report of what was played is on its way. */
  readonly reportDelayMs?: number
  /** Asked for each frame that would arrive: whether it is lost on its way. */
  readonly shouldDropFrame?: () => boolean
}

const DEFAULT_LEAD_MS = 60
/** What an end may have sent and not played: beyond that frames are dropped, as on a connection that cannot keep up. */
const MAX_BUFFERED_MS = 1_000
/** How often an end reports what it has played while anything plays. */
const REPORT_EVERY_FRAMES = 5

interface QueuedFrame {
  readonly frame: Frame
  readonly startSample: number
}

interface Report {
  readonly atFrame: number
  readonly playedSamples: number
  readonly capturedSamples: number
}

/** Moves by its pair: a frame is stepped at both ends, then both settle. */
export class LoopbackEndpoint implements LoopbackEnd {
  readonly kind = 'loopback'
  readonly rateHz: LegRateHz
  readonly leadMs: number
  readonly framesTogether: number
  readonly capabilities: LegCapabilities
  lostFrames = 0
  droppedFrames = 0
  readonly #shouldDropFrame: () => boolean
  readonly #reportDelayFrames: number
  readonly #frameSamples: number
  readonly #silence: Frame
  readonly #queue: QueuedFrame[] = []
  #reports: Report[] = []
  #other: LoopbackEndpoint | null = null
  #events: LegEvents | null = null
  #playedSamples = 0
  #capturedSamples = 0
  #reportedSamples = 0
  #closesAtFrame: number | null = null
  #frame = 0
  #isEnded = false

  constructor(options: LoopbackOptions) {
    const { cancelsEcho = true, recognizesSpeech = true, reportsPlayed = true, acceptsText = true } = options
    this.rateHz = options.rateHz
    this.leadMs = options.leadMs ?? DEFAULT_LEAD_MS
    this.framesTogether = options.framesTogether ?? 1
    this.capabilities = { cancelsEcho, recognizesSpeech, reportsPlayed, acceptsText }
    this.#shouldDropFrame = options.shouldDropFrame ?? (() => false)
    this.#reportDelayFrames = Math.round((options.reportDelayMs ?? 0) / FRAME_MS)
    this.#frameSamples = frameSamples(options.rateHz)
    this.#silence = new Int16Array(this.#frameSamples)
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  get isClosing(): boolean {
    return this.#isEnded || this.#closesAtFrame !== null
  }

  connect(other: LoopbackEndpoint): void {
    this.#other = other
  }

  listen(events: LegEvents): void {
    if (!this.#isEnded) {
      this.#events = events
      return
    }
    events.hungUp()
    events.closed()
  }

  send(frame: Frame, startSample: number): void {
    if (this.#isEnded) return
    if (this.#queue.length * FRAME_MS >= MAX_BUFFERED_MS) {
      this.droppedFrames += 1
      return
    }
    // The sender may use its frame again; here it waits until it is played.
    this.#queue.push({ frame: frame.slice(), startSample })
  }

  clear(): void {
    this.#queue.length = 0
    // Not before the caller of this method is done with what it does.
    queueMicrotask(() => this.#report())
  }

  close(drainMs: number): void {
    this.#closesAtFrame ??= this.#frame + Math.ceil(drainMs / FRAME_MS)
    if (this.#queue.length === 0 || drainMs <= 0) this.#end()
  }

  sendDtmf(digits: string): void {
    for (const digit of digits) this.#other?.events?.dtmf(digit)
  }

  sendText(text: string): void {
    this.#other?.events?.typed(text)
  }

  sendRecognized(event: Exclude<TranscriberEvent, { type: 'failed' }>): void {
    this.#other?.events?.recognized(event)
  }

  failRecognition(): void {
    this.#other?.events?.recognitionFailed()
  }

  hangUp(): void {
    this.#end()
  }

  /** The next 20 ms: a frame of what was sent, or silence, is played at the other end. */
  step(frame: number, interrupted: boolean): void {
    if (this.#isEnded) return
    this.#frame = frame + 1
    const next = this.#queue.shift()
    if (next !== undefined) this.#playedSamples = next.startSample + next.frame.length
    this.#other?.arrive(next?.frame ?? this.#silence, interrupted)
  }

  settle(interrupted: boolean): void {
    if (this.#isEnded) return
    const isDue = this.#frame % REPORT_EVERY_FRAMES === 0 || this.#queue.length === 0
    if (isDue && !interrupted && this.#playedSamples !== this.#reportedSamples) this.#report()
    this.#deliverReports()
    if (this.#closesAtFrame === null) return
    if (this.#queue.length === 0 || this.#frame >= this.#closesAtFrame) this.#end()
  }

  arrive(frame: Frame, interrupted: boolean): void {
    if (this.#isEnded) return
    const startSample = this.#capturedSamples
    this.#capturedSamples += this.#frameSamples
    if (interrupted || this.#shouldDropFrame()) this.lostFrames += 1
    else this.#events?.frame(frame, startSample)
  }

  noteHangUp(): void {
    if (this.#isEnded) return
    this.#report()
    const events = this.#release()
    events?.hungUp()
    events?.closed()
  }

  noteInterrupted(interrupted: boolean): void {
    if (interrupted) this.events?.lost()
    else this.events?.restored()
  }

  get events(): LegEvents | null {
    return this.#isEnded ? null : this.#events
  }

  #report(): void {
    if (this.#isEnded || !this.capabilities.reportsPlayed) return
    this.#reportedSamples = this.#playedSamples
    const report = { playedSamples: this.#playedSamples, capturedSamples: this.#capturedSamples }
    this.#reports.push({ ...report, atFrame: this.#frame + this.#reportDelayFrames })
    this.#deliverReports()
  }

  #deliverReports(): void {
    for (
      let report = this.#reports[0];
      report !== undefined && report.atFrame <= this.#frame;
      report = this.#reports[0]
    ) {
      this.#reports.shift()
      this.#events?.played(report.playedSamples, report.capturedSamples)
    }
  }

  #end(): void {
    if (this.#isEnded) return
    this.#report()
    this.#release()?.closed()
    this.#other?.noteHangUp()
  }

  #release(): LegEvents | null {
    const events = this.#events
    this.#isEnded = true
    this.#queue.length = 0
    this.#reports = []
    this.#events = null
    return events
  }
}
