import type { ServerMessage } from '@parley/contract/live'
import { FRAME_MS, type Frame, frameSamples, type LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import type { LegEvents, MediaLeg, TranscriberEvent } from '@parley/engine/voice/ports'

/** One end of a line within the process. What a caller can do beside speaking is done by its other end. */
export interface LoopbackEnd extends MediaLeg {
  type(text: string): void
  press(digit: string): void
  /** Tells what this end's own ears understood. */
  recognise(event: Exclude<TranscriberEvent, { type: 'failed' }>): void
  hangUp(): void
  /** Messages that the other end tells this one, from now on. */
  onTold(listener: (message: ServerMessage) => void): void
  /** Frames that did not arrive at this end. */
  readonly lostFrames: number
  /** Frames of this end that found no room. */
  readonly droppedFrames: number
}

export interface LoopbackOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly rateHz: LegRateHz
  /** How far ahead of real time each end may send; 60 ms unless given. */
  readonly leadMs?: number
  readonly cancelsEcho?: boolean
  /** Asked for each frame that would arrive: whether it is lost on its way. */
  readonly losesFrame?: () => boolean
}

/** A line between two ends of this process: what one sends is played at the other, frame by frame in real time. */
export interface LoopbackPair {
  readonly near: LoopbackEnd
  readonly far: LoopbackEnd
  /** Moves what is due; given to the wheel. Does nothing once the line has ended. */
  pump(nowMs: number): void
  /** Interrupts the line or mends it; while it is interrupted nothing arrives, and time goes on at both ends. */
  setInterrupted(interrupted: boolean): void
  readonly ended: boolean
}

const DEFAULT_LEAD_MS = 60
/** What an end may have sent and not played: beyond that frames are dropped, as on a line that cannot keep up. */
const ROOM_MS = 1_000
/** How often an end hears what was played. */
const REPORT_EVERY_FRAMES = 5
/** After a pause of the process this much is made up for; the rest of the time is lost on both sides. */
const MOST_FRAMES_AT_ONCE = 50

/** Opens a line on which time begins now. */
export function createLoopbackPair(options: LoopbackOptions): LoopbackPair {
  const startMs = options.clock.now()
  const near = new End(options)
  const far = new End(options)
  near.connect(far)
  far.connect(near)
  let frames = 0
  let interrupted = false

  return {
    near,
    far,
    pump(nowMs) {
      const due = Math.floor((nowMs - startMs) / FRAME_MS)
      frames = Math.max(frames, due - MOST_FRAMES_AT_ONCE)
      for (; frames < due && !(near.isOver && far.isOver); frames += 1) {
        near.step(frames, interrupted)
        far.step(frames, interrupted)
        // Only now both ends have recorded as much as they have played.
        near.settle()
        far.settle()
      }
    },
    setInterrupted(next) {
      if (next === interrupted) return
      interrupted = next
      for (const end of [near, far]) end.tellInterrupted(next)
    },
    get ended() {
      return near.isOver && far.isOver
    },
  }
}

interface Queued {
  readonly frame: Frame
  readonly startSample: number
}

class End implements LoopbackEnd {
  readonly kind = 'loopback'
  readonly rateHz: LegRateHz
  readonly leadMs: number
  readonly framesTogether = 1
  readonly cancelsEcho: boolean
  readonly recognises = true
  readonly tellsPlayed = true
  lostFrames = 0
  droppedFrames = 0
  readonly #losesFrame: () => boolean
  readonly #frameSamples: number
  readonly #silence: Frame
  readonly #queue: Queued[] = []
  #other: End | null = null
  #events: LegEvents | null = null
  #told: ((message: ServerMessage) => void) | null = null
  #playedSamples = 0
  #capturedSamples = 0
  #reportedSamples = 0
  #closesAtFrame: number | null = null
  #frame = 0
  #isOver = false

  constructor({ rateHz, leadMs = DEFAULT_LEAD_MS, cancelsEcho = true, losesFrame = () => false }: LoopbackOptions) {
    this.rateHz = rateHz
    this.leadMs = leadMs
    this.cancelsEcho = cancelsEcho
    this.#losesFrame = losesFrame
    this.#frameSamples = frameSamples(rateHz)
    this.#silence = new Int16Array(this.#frameSamples)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  connect(other: End): void {
    this.#other = other
  }

  listen(events: LegEvents): void {
    if (this.#isOver) events.hungUp()
    else this.#events = events
  }

  onTold(listener: (message: ServerMessage) => void): void {
    this.#told = listener
  }

  send(frame: Frame, startSample: number): void {
    if (this.#isOver) return
    if (this.#queue.length * FRAME_MS >= ROOM_MS) {
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

  tell(message: ServerMessage): void {
    if (!this.#isOver) this.#other?.hearTold(message)
  }

  close(drainMs: number): void {
    this.#closesAtFrame ??= this.#frame + Math.ceil(drainMs / FRAME_MS)
    if (this.#queue.length === 0 || drainMs <= 0) this.#end()
  }

  type(text: string): void {
    this.#tellOther((events) => events.typed(text))
  }

  press(digit: string): void {
    this.#tellOther((events) => events.dtmf(digit))
  }

  recognise(event: Exclude<TranscriberEvent, { type: 'failed' }>): void {
    this.#tellOther((events) => events.recognised(event))
  }

  hangUp(): void {
    this.#end()
  }

  /** The next 20 ms: a frame of what was sent, or silence, is played at the other end. */
  step(frame: number, interrupted: boolean): void {
    if (this.#isOver) return
    this.#frame = frame + 1
    const next = this.#queue.shift()
    if (next !== undefined) this.#playedSamples = next.startSample + next.frame.length
    this.#other?.hear(next?.frame ?? this.#silence, interrupted)
  }

  settle(): void {
    if (this.#isOver) return
    if (this.#frame % REPORT_EVERY_FRAMES === 0 && this.#playedSamples !== this.#reportedSamples) this.#report()
    if (this.#closesAtFrame === null) return
    if (this.#queue.length === 0 || this.#frame >= this.#closesAtFrame) this.#end()
  }

  hear(frame: Frame, interrupted: boolean): void {
    if (this.#isOver) return
    const startSample = this.#capturedSamples
    this.#capturedSamples += this.#frameSamples
    if (interrupted || this.#losesFrame()) this.lostFrames += 1
    else this.#events?.frame(frame, startSample)
  }

  hearTold(message: ServerMessage): void {
    if (!this.#isOver) this.#told?.(message)
  }

  hearHangUp(): void {
    if (this.#isOver) return
    this.#report()
    this.#isOver = true
    this.#events?.hungUp()
    this.#letGo()
  }

  tellInterrupted(interrupted: boolean): void {
    if (this.#isOver) return
    if (interrupted) this.#events?.lost()
    else this.#events?.restored()
  }

  #tellOther(tell: (events: LegEvents) => void): void {
    const events = this.#isOver ? null : this.#other?.events
    if (events) tell(events)
  }

  get events(): LegEvents | null {
    return this.#isOver ? null : this.#events
  }

  #report(): void {
    if (this.#isOver) return
    this.#reportedSamples = this.#playedSamples
    this.#events?.played(this.#playedSamples, this.#capturedSamples)
  }

  #end(): void {
    if (this.#isOver) return
    this.#report()
    this.#isOver = true
    this.#letGo()
    this.#other?.hearHangUp()
  }

  #letGo(): void {
    this.#queue.length = 0
    this.#events = null
    this.#told = null
  }
}
