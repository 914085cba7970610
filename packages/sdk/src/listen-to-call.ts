import type { FromProcessor } from './audio/worklet-messages.ts'
import type { AudioPort } from './call.ts'
import { type CallEnvironment, createBrowserEnvironment, joinLiveChannel } from './call-environment.ts'
import { type CallEvents, EventHub } from './call-events.ts'
import { CallProblem } from './call-problem.ts'
import type { ChannelEvent, LiveChannel } from './channel/live-channel.ts'
import { type JoinedMessage, LIVE_PROTOCOL } from './channel/live-protocol.ts'
import type { ClientClock } from './clock.ts'

export interface ListenToCallOptions {
  /** Token from the API for listening to a live call. */
  readonly accessToken: string
  /** URL of the server. Defaults to the server of the page. */
  readonly baseUrl?: string
  /** ID of the loudspeaker, if the browser supports selecting one. */
  readonly speaker?: string
}

/** Plays both sides of a live call without a microphone. Resolves when connected. Rejects with a `CallProblem`. */
export async function listenToCall(options: ListenToCallOptions): Promise<MonitoredCall> {
  return listenToCallIn(createBrowserEnvironment(), options)
}

/** Runs `listenToCall` in a specific environment. */
export async function listenToCallIn(
  environment: CallEnvironment,
  { accessToken, baseUrl, speaker }: ListenToCallOptions,
): Promise<MonitoredCall> {
  if (accessToken === '') throw new CallProblem('token_invalid')
  let call: MonitoredCall | null = null
  const audio = await environment.openAudio({
    microphone: false,
    speaker: speaker ?? null,
    onMessage: (message) => call?.handleAudioMessage(message),
    onMicrophoneLost: () => undefined,
  })
  audio.resume()
  const earlyEvents: ChannelEvent[] = []
  try {
    const { channel, joined } = await joinLiveChannel(environment, {
      baseUrl,
      entry: { type: 'listen', protocol: LIVE_PROTOCOL, accessToken },
      onEvent: (event) => (call === null ? earlyEvents.push(event) : call.handleChannelEvent(event)),
    })
    const onEnded = environment.watch(
      () => channel.check(),
      () => audio.resume(),
    )
    const monitored = new MonitoredCall({ channel, audio, clock: environment.clock, joined, onEnded })
    call = monitored
    for (const event of earlyEvents.splice(0)) monitored.handleChannelEvent(event)
    return monitored
  } catch (error) {
    audio.close()
    throw error
  }
}

/** Events of a monitored call (see `CallEvents`). */
export interface MonitoredCallEvents
  extends Pick<CallEvents, 'activity' | 'transcript' | 'reconnecting' | 'reconnected' | 'warning' | 'error' | 'ended'> {
  /** Combined level of both sides, from 0 to 1, about 16 times per second while playback is allowed. */
  level: { readonly both: number }
}

interface MonitoredCallParts {
  readonly channel: LiveChannel
  readonly audio: Pick<AudioPort, 'isRunning' | 'output' | 'resume' | 'start' | 'play' | 'close'>
  readonly clock: ClientClock
  readonly joined: JoinedMessage
  /** Called once when listening ends. */
  readonly onEnded: () => void
}

/** If playback is blocked for this long, a user gesture is required. */
const AUTOPLAY_TIMEOUT_MS = 500

/** A call that the client only listens to, created by `listenToCall`. */
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

  /** Whether listening has ended. */
  get ended(): boolean {
    return this.#isEnded
  }

  /** Audio node with the audio of both sides, for meters. */
  get output(): AudioNode {
    return this.#parts.audio.output
  }

  /** Adds a listener and returns a function that removes it. */
  on<Name extends keyof MonitoredCallEvents>(
    name: Name,
    listener: (event: MonitoredCallEvents[Name]) => void,
  ): () => void {
    return this.#hub.on(name, listener)
  }

  off<Name extends keyof MonitoredCallEvents>(name: Name, listener: (event: MonitoredCallEvents[Name]) => void): void {
    this.#hub.off(name, listener)
  }

  /** Retries blocked playback. Call this method from a user gesture. */
  resumeAudio(): void {
    this.#parts.audio.resume()
  }

  /** Stops listening. The call continues. */
  end(): void {
    if (this.#isEnded) return
    this.#parts.channel.leave()
    this.#finish('left')
  }

  /** Handles a channel event. Only for use by `listenToCall`. */
  handleChannelEvent(event: ChannelEvent): void {
    if (this.#isEnded) return
    if (event.type === 'audio') this.#play(event)
    else if (event.type === 'message') this.#handleMessage(event.message)
    else if (event.type === 'reconnecting') this.#hub.emit('reconnecting', {})
    else if (event.type === 'reconnected') {
      // Sample numbers start at 0 again.
      this.#start()
      this.#hub.emit('reconnected', {})
    } else if (event.type === 'ended') this.#finish(event.reason)
    else if (event.type === 'failed') {
      this.#hub.emit('error', event.problem)
      this.#finish(event.problem.code)
    }
  }

  /** Handles a message from the audio processor. Only for use by `listenToCall`. */
  handleAudioMessage(message: FromProcessor): void {
    if (!this.#isEnded && message.type === 'level') this.#hub.emit('level', { both: message.agent })
  }

  #start(): void {
    this.#parts.audio.start(0, this.#parts.joined.rateHz)
  }

  #play({ startSample, samples }: Extract<ChannelEvent, { type: 'audio' }>): void {
    const { audio } = this.#parts
    // Audio buffered while playback is blocked would delay all later audio.
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
