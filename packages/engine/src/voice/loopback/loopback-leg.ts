import { countFrameSamples, FRAME_MS, type Frame, type LegRateHz } from '../../audio/frame.ts'
import type { Clock } from '../../ports.ts'
import type { LegCapabilities, LegEvents, MediaLeg, TranscriberEvent } from '../ports.ts'

/** Two connected in-process media legs. Each receives the other's audio, frame by frame in real time. */
interface LoopbackPair {
  readonly near: LoopbackEnd
  readonly far: LoopbackEnd
  /** Transfers the frames that are due. Must be called periodically. */
  pump(nowMs: number): void
  /** Interrupts or restores the connection. Nothing arrives during an interruption, but time continues at both ends. */
  setInterrupted(interrupted: boolean): void
  readonly ended: boolean
}

/** Maximum number of frames to catch up after the process was blocked. Older frames are lost on both sides. */
const MAX_FRAMES_AT_ONCE = 50

/** Creates a connection whose clock starts now. */
export function createLoopbackPair(options: LoopbackOptions): LoopbackPair {
  const startMs = options.clock.now()
  const near = new LoopbackEndpoint(options)
  const far = new LoopbackEndpoint(options)
  near.connect(far)
  far.connect(near)
  let nextFrame = 0
  let interrupted = false

  return {
    near,
    far,
    pump(nowMs) {
      const dueFrame = Math.floor((nowMs - startMs) / FRAME_MS)
      nextFrame = Math.max(nextFrame, dueFrame - MAX_FRAMES_AT_ONCE)
      for (; nextFrame < dueFrame && !(near.isEnded && far.isEnded); nextFrame += 1) {
        near.step(nextFrame, interrupted)
        far.step(nextFrame, interrupted)
        // Both ends have recorded as much as they have played.
        near.finishFrame(interrupted)
        far.finishFrame(interrupted)
      }
    },
    setInterrupted(isInterrupted) {
      if (isInterrupted === interrupted) return
      interrupted = isInterrupted
      for (const end of [near, far]) end.handleInterruption(isInterrupted)
    },
    get ended() {
      return near.isEnded && far.isEnded
    },
  }
}

/** One end of an in-process connection, with methods for all caller actions besides speaking. */
export interface LoopbackEnd extends MediaLeg {
  sendDtmf(digits: string): void
  sendText(text: string): void
  /** Sends speech that this end's own transcriber recognized. */
  sendRecognized(event: Exclude<TranscriberEvent, { type: 'failed' }>): void
  /** Stops recognizing speech at this end. */
  failRecognition(): void
  hangUp(): void
  /** Frames that did not arrive at this end. */
  readonly lostFrames: number
  /** Number of this end's frames that were dropped because the buffer was full. */
  readonly droppedFrames: number
  /** Whether `close` was called or the connection has ended. */
  readonly isClosing: boolean
}

/** Options of a connection. Both ends have the same capabilities, by default all of them. */
export interface LoopbackOptions extends Partial<LegCapabilities> {
  readonly clock: Omit<Clock, 'after'>
  readonly rateHz: LegRateHz
  /** Maximum time by which each end sends audio ahead of playback, by default 60 ms. */
  readonly leadMs?: number
  readonly framesPerMessage?: number
  /** Network delay of playback reports. */
  readonly reportDelayMs?: number
  /** Called for each arriving frame. Returns whether to drop the frame. */
  readonly shouldDropFrame?: () => boolean
}

const DEFAULT_LEAD_MS = 60
/** Maximum amount of sent but unplayed audio. Further frames are dropped, as on a slow connection. */
const MAX_BUFFERED_MS = 1_000
/** Interval of playback reports while audio plays. */
const REPORT_INTERVAL_FRAMES = 5

interface QueuedFrame {
  readonly frame: Frame
  readonly startSample: number
}

interface Report {
  readonly atFrame: number
  readonly playedSamples: number
  readonly capturedSamples: number
}

/** One end of the connection. For each frame, the pair calls `step` and then `finishFrame` on both ends. */
class LoopbackEndpoint implements LoopbackEnd {
  readonly kind = 'loopback'
  readonly rateHz: LegRateHz
  readonly leadMs: number
  readonly framesPerMessage: number
  readonly capabilities: LegCapabilities
  lostFrames = 0
  droppedFrames = 0
  readonly #shouldDropFrame: () => boolean
  readonly #reportDelayFrames: number
  readonly #frameSamples: number
  readonly #silence: Frame
  readonly #queue: QueuedFrame[] = []
  #reports: Report[] = []
  #peer: LoopbackEndpoint | null = null
  #events: LegEvents | null = null
  #playedSamples = 0
  #capturedSamples = 0
  #reportedSamples = 0
  #closeFrame: number | null = null
  #frame = 0
  #isEnded = false

  constructor(options: LoopbackOptions) {
    const { cancelsEcho = true, recognizesSpeech = true, reportsPlayed = true, acceptsText = true } = options
    this.rateHz = options.rateHz
    this.leadMs = options.leadMs ?? DEFAULT_LEAD_MS
    this.framesPerMessage = options.framesPerMessage ?? 1
    this.capabilities = { cancelsEcho, recognizesSpeech, reportsPlayed, acceptsText }
    this.#shouldDropFrame = options.shouldDropFrame ?? (() => false)
    this.#reportDelayFrames = Math.round((options.reportDelayMs ?? 0) / FRAME_MS)
    this.#frameSamples = countFrameSamples(options.rateHz)
    this.#silence = new Int16Array(this.#frameSamples)
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  get isClosing(): boolean {
    return this.#isEnded || this.#closeFrame !== null
  }

  connect(peer: LoopbackEndpoint): void {
    this.#peer = peer
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
    // The sender may reuse its frame.
    this.#queue.push({ frame: frame.slice(), startSample })
  }

  clear(): void {
    this.#queue.length = 0
    // Report after the caller of this method has finished.
    queueMicrotask(() => this.#report())
  }

  close(drainMs: number): void {
    this.#closeFrame ??= this.#frame + Math.ceil(drainMs / FRAME_MS)
    if (this.#queue.length === 0 || drainMs <= 0) this.#end()
  }

  sendDtmf(digits: string): void {
    for (const digit of digits) this.#peer?.events?.dtmf(digit)
  }

  sendText(text: string): void {
    this.#peer?.events?.typed(text)
  }

  sendRecognized(event: Exclude<TranscriberEvent, { type: 'failed' }>): void {
    this.#peer?.events?.recognized(event)
  }

  failRecognition(): void {
    this.#peer?.events?.recognitionFailed()
  }

  hangUp(): void {
    this.#end()
  }

  /** Plays the next 20 ms, a queued frame or silence, at the other end. */
  step(frame: number, interrupted: boolean): void {
    if (this.#isEnded) return
    this.#frame = frame + 1
    const queuedFrame = this.#queue.shift()
    if (queuedFrame !== undefined) this.#playedSamples = queuedFrame.startSample + queuedFrame.frame.length
    this.#peer?.receive(queuedFrame?.frame ?? this.#silence, interrupted)
  }

  finishFrame(interrupted: boolean): void {
    if (this.#isEnded) return
    const isDue = this.#frame % REPORT_INTERVAL_FRAMES === 0 || this.#queue.length === 0
    if (isDue && !interrupted && this.#playedSamples !== this.#reportedSamples) this.#report()
    this.#deliverReports()
    if (this.#closeFrame === null) return
    if (this.#queue.length === 0 || this.#frame >= this.#closeFrame) this.#end()
  }

  receive(frame: Frame, interrupted: boolean): void {
    if (this.#isEnded) return
    const startSample = this.#capturedSamples
    this.#capturedSamples += this.#frameSamples
    if (interrupted || this.#shouldDropFrame()) this.lostFrames += 1
    else this.#events?.frame(frame, startSample)
  }

  handleRemoteEnd(): void {
    if (this.#isEnded) return
    this.#report()
    const events = this.#release()
    events?.hungUp()
    events?.closed()
  }

  handleInterruption(interrupted: boolean): void {
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
    this.#peer?.handleRemoteEnd()
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
