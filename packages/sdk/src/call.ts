import type { CallAudio } from './audio/call-audio.ts'
import { PlayoutPosition } from './audio/playout-position.ts'
import type { FromProcessor } from './audio/worklet-messages.ts'
import type { CallEvents } from './call-events.ts'
import { CallProblem } from './call-problem.ts'
import type { CallMessage, ChannelEvent, LiveChannel } from './channel/live-channel.ts'
import type { AgentActivity, JoinedMessage, UserActivity } from './channel/live-protocol.ts'
import type { ClientClock } from './clock.ts'
import { EventHub } from './event-hub.ts'
import { NetworkMonitor } from './network-monitor.ts'
import { BrowserRecognition, type SpeechRecognizer } from './recognition.ts'

/** What a call does with microphone and loudspeaker. */
export type AudioPort = Pick<
  CallAudio,
  | 'track'
  | 'isRunning'
  | 'outputDelayMs'
  | 'output'
  | 'resume'
  | 'start'
  | 'play'
  | 'clear'
  | 'setMuted'
  | 'setMicrophone'
  | 'setSpeaker'
  | 'close'
>

export interface CallParts {
  readonly channel: LiveChannel
  readonly audio: AudioPort
  readonly clock: ClientClock
  readonly joined: JoinedMessage
  /** The call was entered again by a page that knows nothing of its beginning. */
  readonly isResumed: boolean
  /** What the browser listens for. */
  readonly language: string
  /** The page chose the language: it stays when another agent holds the conversation. */
  readonly hasExplicitLanguage: boolean
  /** The browser's recogniser; `null` where it has none or none is wanted. */
  readonly createRecognizer: (() => SpeechRecognizer) | null
  /** Runs once, when the call is over. */
  readonly onEnded: () => void
}

/** Sound that the browser has not let play by then waits for a gesture. */
const AUTOPLAY_TIMEOUT_MS = 500
/** Code of the warning that the server recognises speech no more. */
const SPEECH_NOT_RECOGNIZED = 'speech_not_recognised'
const DTMF_DIGIT = /^[0-9*#A-D]$/
const MAX_TEXT_LENGTH = 4_000

/** A call that was joined. Made by `startCall`. */
export class Call {
  readonly callId: string
  /** What stands in for providers that are not configured, one sentence each. */
  readonly standIns: readonly string[]
  readonly #parts: CallParts
  readonly #hub = new EventHub<CallEvents>()
  readonly #playoutPosition: PlayoutPosition
  readonly #network: NetworkMonitor
  readonly #startedAtMs: number
  #recognizer: BrowserRecognition | null = null
  #recognitions = 0
  #agentName: string
  #language: string
  /** The browser recognises speech in this call. */
  #hasBrowserRecognition: boolean
  #recognition: 'browser' | 'server' | 'none'
  #agent: AgentActivity = 'idle'
  #user: UserActivity = 'silent'
  #isMuted = false
  #isEnded = false

  constructor(parts: CallParts) {
    const { joined, clock, audio } = parts
    const { rateHz } = joined
    this.#parts = parts
    this.callId = joined.callId
    this.#agentName = joined.agentName
    this.#language = parts.language
    this.#hasBrowserRecognition = joined.recognition === 'browser'
    this.#recognition = joined.recognition
    this.standIns = joined.standIns
    this.#playoutPosition = new PlayoutPosition(rateHz)
    this.#network = new NetworkMonitor(clock)
    this.#startedAtMs = clock.now() - joined.elapsedMs
    // A page that comes back does not know how much it had captured: the time of the call is not less than that.
    audio.start(parts.isResumed ? Math.ceil((joined.elapsedMs * rateHz) / 1_000) : 0, rateHz)
    this.#hub.emit('call-started', { callId: this.callId, agentName: this.agentName })
    this.#startRecognition()
    clock.after(0, () => this.#hub.open())
    clock.after(AUTOPLAY_TIMEOUT_MS, () => this.#checkAutoplay())
  }

  /** Of who holds the conversation: another one after a hand-over. */
  get agentName(): string {
    return this.#agentName
  }

  /** Whose ears are used right now: the browser's, or those of the server. `none`: the caller types. */
  get recognition(): 'browser' | 'server' | 'none' {
    return this.#hasMicrophone ? this.#recognition : 'none'
  }

  get muted(): boolean {
    return this.#isMuted
  }

  get ended(): boolean {
    return this.#isEnded
  }

  /** Milliseconds since the call began. */
  get elapsedMs(): number {
    return this.#parts.clock.now() - this.#startedAtMs
  }

  /** Lets another page, this one after a reload for example, go on with the call: see `startCall`. */
  get resumeToken(): string | null {
    return this.#parts.channel.resumeToken
  }

  /** The agent's sound, for meters and recorders of the page's own. */
  get output(): AudioNode {
    return this.#parts.audio.output
  }

  /** Listens; returns what ends that. */
  on<Name extends keyof CallEvents>(name: Name, listener: (event: CallEvents[Name]) => void): () => void {
    return this.#hub.on(name, listener)
  }

  off<Name extends keyof CallEvents>(name: Name, listener: (event: CallEvents[Name]) => void): void {
    this.#hub.off(name, listener)
  }

  mute(): void {
    this.#setMuted(true)
  }

  unmute(): void {
    this.#setMuted(false)
  }

  /** Changes the microphone; `null` is the system's own. Rejects with a `CallProblem`, and the one before stays. */
  async setMicrophone(deviceId: string | null): Promise<void> {
    await this.#parts.audio.setMicrophone(deviceId)
    if (this.#recognizer) this.#recognizer.restart()
    else this.#startRecognition()
  }

  /** Changes the loudspeaker. Rejects with a `CallProblem` where the browser cannot. */
  async setSpeaker(deviceId: string): Promise<void> {
    await this.#parts.audio.setSpeaker(deviceId)
  }

  /** Says something in writing. */
  type(text: string): void {
    const trimmed = text.trim().slice(0, MAX_TEXT_LENGTH)
    if (trimmed !== '') this.#parts.channel.send({ type: 'typed', text: trimmed })
  }

  /** Presses keys of a phone: 0 to 9, `*`, `#`, A to D; others are left out. */
  sendDigits(digits: string): void {
    for (const digit of digits.toUpperCase()) {
      if (DTMF_DIGIT.test(digit)) this.#parts.channel.send({ type: 'dtmf', digit })
    }
  }

  /** Tries again to play sound that the browser held back; to be called from a gesture. */
  resumeAudio(): void {
    this.#parts.audio.resume()
  }

  /** Hangs up. */
  end(): void {
    if (this.#isEnded) return
    this.#parts.channel.leave()
    this.#finish('user_hangup')
  }

  /** Takes what the channel tells; for `startCall`. */
  handleChannelEvent(event: ChannelEvent): void {
    if (this.#isEnded) return
    if (event.type === 'audio') this.#parts.audio.play(event.startSample, event.samples)
    else if (event.type === 'message') this.#handleMessage(event.message)
    else if (event.type === 'reconnecting') this.#hub.emit('reconnecting', {})
    else if (event.type === 'reconnected') this.#hub.emit('reconnected', {})
    else if (event.type === 'round-trip') this.#warn(this.#network.roundTrip(event.durationMs))
    else if (event.type === 'ended') this.#finish(event.reason)
    else if (event.type === 'failed') {
      this.#hub.emit('error', event.problem)
      this.#finish(event.problem.code)
    }
  }

  /** Takes what microphone and loudspeaker tell; for `startCall`. */
  handleAudioMessage(message: FromProcessor): void {
    if (this.#isEnded) return
    const { channel, audio } = this.#parts
    if (message.type === 'captured') channel.sendAudio(message.startSample, message.samples)
    else if (message.type === 'level') this.#hub.emit('level', { user: message.user, agent: message.agent })
    else {
      const playedSamples = this.#playoutPosition.read(message, audio.outputDelayMs)
      channel.send({ type: 'position', playedSamples, capturedSamples: message.capturedSamples })
      this.#warn(this.#network.underruns(message.underruns))
    }
  }

  /** The microphone is gone: another one is taken, or the call goes on without; for `startCall`. */
  async replaceMicrophone(): Promise<void> {
    try {
      await this.setMicrophone(null)
    } catch {
      const { message, fix, code } = new CallProblem('no_microphone')
      this.#warn({ code, message: `${message} ${fix}` })
    }
  }

  get #hasMicrophone(): boolean {
    return this.#parts.audio.track !== null
  }

  #handleMessage(message: CallMessage): void {
    if (message.type === 'clear') this.#parts.audio.clear()
    else if (message.type === 'state') this.#changeActivity(message.agent, message.user)
    else if (message.type === 'caption') {
      const { id, role, text, final, interrupted } = message
      this.#hub.emit('transcript', { id, role, text, final, interrupted })
    } else if (message.type === 'agent') this.#changeAgent(message)
    else if (message.type === 'node-transition') {
      const { nodeId, nodeName, path } = message
      this.#hub.emit('node-transition', { nodeId, nodeName, path })
    } else if (message.type === 'tool') this.#hub.emit('tool', { name: message.name, phase: message.phase })
    else if (message.type === 'latency') {
      this.#hub.emit('latency', { turnId: message.turnId, latency: message.latency })
    } else {
      if (message.code === SPEECH_NOT_RECOGNIZED) this.#startBrowserRecognition()
      this.#warn({ code: message.code, message: message.message })
    }
  }

  /** The server has no recogniser left: the browser's own takes over, where it has one. */
  #startBrowserRecognition(): void {
    if (this.#hasBrowserRecognition) return
    this.#hasBrowserRecognition = true
    this.#recognition = this.#parts.createRecognizer === null || !this.#hasMicrophone ? 'none' : 'browser'
    if (this.#recognition === 'none') this.#parts.channel.send({ type: 'recognition-failed' })
    this.#startRecognition()
  }

  #changeActivity(agent: AgentActivity, user: UserActivity): void {
    const wasAgentSpeaking = this.#agent === 'speaking'
    const wasUserSpeaking = this.#user === 'speaking'
    this.#agent = agent
    this.#user = user
    this.#hub.emit('activity', { agent, user })
    if (wasAgentSpeaking !== (agent === 'speaking'))
      this.#hub.emit(wasAgentSpeaking ? 'agent-silent' : 'agent-speaking', {})
    if (wasUserSpeaking !== (user === 'speaking')) this.#hub.emit(wasUserSpeaking ? 'user-silent' : 'user-speaking', {})
  }

  #changeAgent({ agentName, language }: Extract<CallMessage, { type: 'agent' }>): void {
    this.#agentName = agentName
    this.#hub.emit('agent', { agentName })
    if (this.#parts.hasExplicitLanguage || language === '' || language === this.#language) return
    this.#language = language
    if (this.#recognizer === null) return
    this.#stopRecognition()
    this.#startRecognition()
  }

  #setMuted(muted: boolean): void {
    if (this.#isEnded || muted === this.#isMuted) return
    this.#isMuted = muted
    this.#parts.audio.setMuted(muted)
    this.#parts.channel.send({ type: 'muted', muted })
    if (muted) this.#stopRecognition()
    else this.#startRecognition()
  }

  #startRecognition(): void {
    const { createRecognizer, channel, clock, joined, audio } = this.#parts
    const canListen = this.#hasBrowserRecognition && createRecognizer !== null && this.#hasMicrophone
    if (!canListen || this.#isMuted || this.#isEnded) return
    this.#recognitions += 1
    this.#recognizer = new BrowserRecognition({
      make: createRecognizer,
      clock,
      language: this.#language,
      idPrefix: `${joined.elapsedMs}-${this.#recognitions}-`,
      track: () => audio.track,
      onText: (utteranceId, text, stage) => {
        this.#recognition = 'browser'
        channel.send({ type: 'recognised', utteranceId, text, stage })
      },
      onUnavailable: () => {
        this.#recognizer = null
        this.#recognition = 'none'
        channel.send({ type: 'recognition-failed' })
        this.#warn({
          code: 'recognition_unavailable',
          message: 'This browser does not recognise speech right now. Type what you want to say.',
        })
      },
    })
  }

  #stopRecognition(): void {
    this.#recognizer?.stop()
    this.#recognizer = null
  }

  #checkAutoplay(): void {
    if (this.#isEnded || this.#parts.audio.isRunning) return
    const { code, message, fix } = new CallProblem('autoplay_blocked')
    this.#warn({ code, message: `${message} ${fix}` })
  }

  #warn(warning: CallEvents['warning'] | null): void {
    if (warning !== null && !this.#isEnded) this.#hub.emit('warning', warning)
  }

  #finish(reason: string): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#stopRecognition()
    this.#parts.audio.close()
    this.#parts.onEnded()
    this.#hub.emit('ended', { reason })
  }
}
