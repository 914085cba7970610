import type { FromProcessor } from './audio/worklet-messages.ts'
import type { AudioPort } from './call.ts'
import type { CallEvents } from './call-events.ts'
import { CallProblem } from './call-problem.ts'
import type { ChannelEvent, LiveChannel } from './channel/live-channel.ts'
import type { JoinedMessage } from './channel/live-protocol.ts'
import type { ClientClock } from './clock.ts'
import { EventHub } from './event-hub.ts'

/** What somebody who listens learns of a call; those of the same name mean the same as in a call of one's own. */
export interface MonitoredCallEvents
  extends Pick<CallEvents, 'activity' | 'transcript' | 'reconnecting' | 'reconnected' | 'warning' | 'error' | 'ended'> {
  /** How loud the call is, both sides together, 0 to 1; some sixteen times a second, and never while no sound may play. */
  level: { readonly both: number }
}

export interface MonitoredCallParts {
  readonly channel: LiveChannel
  readonly audio: Pick<AudioPort, 'isRunning' | 'output' | 'resume' | 'start' | 'play' | 'close'>
  readonly clock: ClientClock
  readonly joined: JoinedMessage
  /** Runs once, when nothing more is heard. */
  readonly onEnded: () => void
}

/** Sound that the browser has not let play by then waits for a gesture. */
const AUTOPLAY_TIMEOUT_MS = 500

/** The call of somebody else, heard and not disturbed. Made by `listenToCall`. */
export class MonitoredCall {
  readonly callId: string
  readonly agentName: string
  readonly #parts: MonitoredCallParts
  readonly #hub = new EventHub<MonitoredCallEvents>()
  #isEnded = false

  constructor(parts: MonitoredCallParts) {
    const { joined, clock } = parts
    this.#parts = parts
    this.callId = joined.callId
    this.agentName = joined.agentName
    this.#start()
    clock.after(0, () => this.#hub.open())
    clock.after(AUTOPLAY_TIMEOUT_MS, () => this.#checkAutoplay())
  }

  /** Whether nothing more is heard. */
  get ended(): boolean {
    return this.#isEnded
  }

  /** The sound of both sides, for meters of the page's own. */
  get output(): AudioNode {
    return this.#parts.audio.output
  }

  /** Listens; returns what ends that. */
  on<Name extends keyof MonitoredCallEvents>(
    name: Name,
    listener: (event: MonitoredCallEvents[Name]) => void,
  ): () => void {
    return this.#hub.on(name, listener)
  }

  off<Name extends keyof MonitoredCallEvents>(name: Name, listener: (event: MonitoredCallEvents[Name]) => void): void {
    this.#hub.off(name, listener)
  }

  /** Tries again to play sound that the browser held back; to be called from a gesture. */
  resumeAudio(): void {
    this.#parts.audio.resume()
  }

  /** Listens no more. The call goes on. */
  end(): void {
    if (this.#isEnded) return
    this.#parts.channel.leave()
    this.#finish('left')
  }

  /** Takes what the channel tells; for `listenToCall`. */
  handleChannelEvent(event: ChannelEvent): void {
    if (this.#isEnded) return
    if (event.type === 'audio') this.#play(event)
    else if (event.type === 'message') this.#handleMessage(event.message)
    else if (event.type === 'reconnecting') this.#hub.emit('reconnecting', {})
    else if (event.type === 'reconnected') {
      // Its samples are counted anew.
      this.#start()
      this.#hub.emit('reconnected', {})
    } else if (event.type === 'ended') this.#finish(event.reason)
    else if (event.type === 'failed') {
      this.#hub.emit('error', event.problem)
      this.#finish(event.problem.code)
    }
  }

  /** Takes what the loudspeaker tells; for `listenToCall`. */
  handleAudioMessage(message: FromProcessor): void {
    if (!this.#isEnded && message.type === 'level') this.#hub.emit('level', { both: message.agent })
  }

  #start(): void {
    this.#parts.audio.start(0, this.#parts.joined.rateHz)
  }

  #play({ startSample, samples }: Extract<ChannelEvent, { type: 'audio' }>): void {
    const { audio } = this.#parts
    // What comes while nothing may play would be heard later, and everything after it too.
    if (audio.isRunning) audio.play(startSample, samples)
  }

  #handleMessage(message: Extract<ChannelEvent, { type: 'message' }>['message']): void {
    if (message.type === 'state') this.#hub.emit('activity', { agent: message.agent, user: message.user })
    else if (message.type === 'caption') {
      const { id, role, text, final, interrupted } = message
      this.#hub.emit('transcript', { id, role, text, final, interrupted })
    }
  }

  #checkAutoplay(): void {
    if (this.#isEnded || this.#parts.audio.isRunning) return
    const { code, message, fix } = new CallProblem('autoplay_blocked')
    this.#hub.emit('warning', { code, message: `${message} ${fix}` })
  }

  #finish(reason: string): void {
    this.#isEnded = true
    this.#parts.audio.close()
    this.#parts.onEnded()
    this.#hub.emit('ended', { reason })
  }
}
