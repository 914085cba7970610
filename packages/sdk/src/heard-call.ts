import type { SoundPort } from './call.ts'
import type { CallEvents } from './call-events.ts'
import { CallProblem } from './call-problem.ts'
import type { ChannelEvent, LiveChannel } from './channel/live-channel.ts'
import type { JoinedMessage } from './channel/live-protocol.ts'
import type { ClientClock } from './clock.ts'
import { EventHub } from './event-hub.ts'
import type { FromProcessor } from './sound/worklet-messages.ts'

/** What somebody who listens learns of a call; those of the same name mean the same as in a call of one's own. */
export interface HeardCallEvents
  extends Pick<CallEvents, 'activity' | 'transcript' | 'reconnecting' | 'reconnected' | 'warning' | 'error' | 'ended'> {
  /** How loud the call is, both sides together, 0 to 1; some sixteen times a second, and never while no sound may play. */
  level: { readonly both: number }
}

export interface HeardCallParts {
  readonly channel: LiveChannel
  readonly sound: Pick<SoundPort, 'isRunning' | 'output' | 'resume' | 'begin' | 'play' | 'close'>
  readonly clock: ClientClock
  readonly joined: JoinedMessage
  /** Runs once, when nothing more is heard. */
  readonly onOver: () => void
}

/** Sound that the browser has not let play by then waits for a gesture. */
const AUTOPLAY_PATIENCE_MS = 500

/** The call of somebody else, heard and not disturbed. Made by `listenToCall`. */
export class HeardCall {
  readonly callId: string
  readonly agentName: string
  readonly #parts: HeardCallParts
  readonly #hub = new EventHub<HeardCallEvents>()
  #isOver = false

  constructor(parts: HeardCallParts) {
    const { joined, clock } = parts
    this.#parts = parts
    this.callId = joined.callId
    this.agentName = joined.agentName
    this.#begin()
    clock.after(0, () => this.#hub.open())
    clock.after(AUTOPLAY_PATIENCE_MS, () => this.#checkAutoplay())
  }

  /** Whether nothing more is heard. */
  get over(): boolean {
    return this.#isOver
  }

  /** The sound of both sides, for meters of the page's own. */
  get output(): AudioNode {
    return this.#parts.sound.output
  }

  /** Listens; returns what ends that. */
  on<Name extends keyof HeardCallEvents>(name: Name, listener: (event: HeardCallEvents[Name]) => void): () => void {
    return this.#hub.on(name, listener)
  }

  off<Name extends keyof HeardCallEvents>(name: Name, listener: (event: HeardCallEvents[Name]) => void): void {
    this.#hub.off(name, listener)
  }

  /** Tries again to play sound that the browser held back; to be called from a gesture. */
  resumeSound(): void {
    this.#parts.sound.resume()
  }

  /** Listens no more. The call goes on. */
  end(): void {
    if (this.#isOver) return
    this.#parts.channel.leave()
    this.#finish('left')
  }

  /** Takes what the channel tells; for `listenToCall`. */
  hearChannel(event: ChannelEvent): void {
    if (this.#isOver) return
    if (event.type === 'sound') this.#play(event)
    else if (event.type === 'message') this.#hearMessage(event.message)
    else if (event.type === 'reconnecting') this.#hub.emit('reconnecting', {})
    else if (event.type === 'reconnected') {
      // Its samples are counted anew.
      this.#begin()
      this.#hub.emit('reconnected', {})
    } else if (event.type === 'ended') this.#finish(event.reason)
    else if (event.type === 'failed') {
      this.#hub.emit('error', event.problem)
      this.#finish(event.problem.code)
    }
  }

  /** Takes what the loudspeaker tells; for `listenToCall`. */
  hearSound(message: FromProcessor): void {
    if (!this.#isOver && message.type === 'level') this.#hub.emit('level', { both: message.agent })
  }

  #begin(): void {
    this.#parts.sound.begin(0, this.#parts.joined.rateHz)
  }

  #play({ startSample, samples }: Extract<ChannelEvent, { type: 'sound' }>): void {
    const { sound } = this.#parts
    // What comes while nothing may play would be heard later, and everything after it too.
    if (sound.isRunning) sound.play(startSample, samples)
  }

  #hearMessage(message: Extract<ChannelEvent, { type: 'message' }>['message']): void {
    if (message.type === 'state') this.#hub.emit('activity', { agent: message.agent, user: message.user })
    else if (message.type === 'caption') {
      const { id, role, text, final, interrupted } = message
      this.#hub.emit('transcript', { id, role, text, final, interrupted })
    }
  }

  #checkAutoplay(): void {
    if (this.#isOver || this.#parts.sound.isRunning) return
    const { code, message, fix } = new CallProblem('autoplay_blocked')
    this.#hub.emit('warning', { code, message: `${message} ${fix}` })
  }

  #finish(reason: string): void {
    this.#isOver = true
    this.#parts.sound.close()
    this.#parts.onOver()
    this.#hub.emit('ended', { reason })
  }
}
