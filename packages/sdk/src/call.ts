import type { CallEvents } from './call-events.ts'
import { CallProblem } from './call-problem.ts'
import type { CallMessage, ChannelEvent, LiveChannel } from './channel/live-channel.ts'
import type { AgentActivity, JoinedMessage, UserActivity } from './channel/live-protocol.ts'
import type { ClientClock } from './clock.ts'
import { EventHub } from './event-hub.ts'
import { BrowserRecognition, type SpeechRecogniser } from './recognition.ts'
import type { CallSound } from './sound/call-sound.ts'
import { HeardPosition } from './sound/heard-position.ts'
import type { FromProcessor } from './sound/worklet-messages.ts'
import { WeakNetwork } from './weak-network.ts'

/** What a call does with microphone and loudspeaker. */
export type SoundPort = Pick<
  CallSound,
  | 'track'
  | 'isRunning'
  | 'outputDelayMs'
  | 'output'
  | 'resume'
  | 'begin'
  | 'play'
  | 'clear'
  | 'setMuted'
  | 'setMicrophone'
  | 'setSpeaker'
  | 'close'
>

export interface CallParts {
  readonly channel: LiveChannel
  readonly sound: SoundPort
  readonly clock: ClientClock
  readonly joined: JoinedMessage
  /** The call was entered again by a page that knows nothing of its beginning. */
  readonly isResumed: boolean
  /** What the browser listens for. */
  readonly language: string
  /** The page chose the language: it stays when another agent holds the conversation. */
  readonly isLanguageChosen: boolean
  /** The browser's recogniser; `null` where it has none or none is wanted. */
  readonly makeRecogniser: (() => SpeechRecogniser) | null
  /** Runs once, when the call is over. */
  readonly onOver: () => void
}

/** Sound that the browser has not let play by then waits for a gesture. */
const AUTOPLAY_PATIENCE_MS = 500
/** Code of the warning that the server recognises speech no more. */
const NOBODY_LISTENS = 'speech_not_recognised'
const DTMF_DIGIT = /^[0-9*#A-D]$/
const LONGEST_TEXT = 4_000

/** A call that was joined. Made by `startCall`. */
export class Call {
  readonly callId: string
  /** What stands in for providers that are not configured, one sentence each. */
  readonly standIns: readonly string[]
  readonly #parts: CallParts
  readonly #hub = new EventHub<CallEvents>()
  readonly #heard: HeardPosition
  readonly #network: WeakNetwork
  readonly #startedAtMs: number
  #recogniser: BrowserRecognition | null = null
  #recognitions = 0
  #agentName: string
  #language: string
  /** The browser recognises speech in this call. */
  #hasEars: boolean
  #recognition: 'browser' | 'server' | 'none'
  #agent: AgentActivity = 'idle'
  #user: UserActivity = 'silent'
  #isMuted = false
  #isOver = false

  constructor(parts: CallParts) {
    const { joined, clock, sound } = parts
    const { rateHz } = joined
    this.#parts = parts
    this.callId = joined.callId
    this.#agentName = joined.agentName
    this.#language = parts.language
    this.#hasEars = joined.recognition === 'browser'
    this.#recognition = joined.recognition
    this.standIns = joined.standIns
    this.#heard = new HeardPosition(rateHz)
    this.#network = new WeakNetwork(clock)
    this.#startedAtMs = clock.now() - joined.elapsedMs
    // A page that comes back does not know how much it had captured: the time of the call is not less than that.
    sound.begin(parts.isResumed ? Math.ceil((joined.elapsedMs * rateHz) / 1_000) : 0, rateHz)
    this.#hub.emit('call-started', { callId: this.callId, agentName: this.agentName })
    this.#startRecognition()
    clock.after(0, () => this.#hub.open())
    clock.after(AUTOPLAY_PATIENCE_MS, () => this.#checkAutoplay())
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

  get over(): boolean {
    return this.#isOver
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
    return this.#parts.sound.output
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
    await this.#parts.sound.setMicrophone(deviceId)
    if (this.#recogniser) this.#recogniser.restart()
    else this.#startRecognition()
  }

  /** Changes the loudspeaker. Rejects with a `CallProblem` where the browser cannot. */
  async setSpeaker(deviceId: string): Promise<void> {
    await this.#parts.sound.setSpeaker(deviceId)
  }

  /** Says something in writing. */
  type(text: string): void {
    const trimmed = text.trim().slice(0, LONGEST_TEXT)
    if (trimmed !== '') this.#parts.channel.send({ type: 'typed', text: trimmed })
  }

  /** Presses keys of a phone: 0 to 9, `*`, `#`, A to D; others are left out. */
  sendDigits(digits: string): void {
    for (const digit of digits.toUpperCase()) {
      if (DTMF_DIGIT.test(digit)) this.#parts.channel.send({ type: 'dtmf', digit })
    }
  }

  /** Tries again to play sound that the browser held back; to be called from a gesture. */
  resumeSound(): void {
    this.#parts.sound.resume()
  }

  /** Hangs up. */
  end(): void {
    if (this.#isOver) return
    this.#parts.channel.leave()
    this.#finish('user_hangup')
  }

  /** Takes what the channel tells; for `startCall`. */
  hearChannel(event: ChannelEvent): void {
    if (this.#isOver) return
    if (event.type === 'sound') this.#parts.sound.play(event.startSample, event.samples)
    else if (event.type === 'message') this.#hearMessage(event.message)
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
  hearSound(message: FromProcessor): void {
    if (this.#isOver) return
    const { channel, sound } = this.#parts
    if (message.type === 'captured') channel.sendSound(message.startSample, message.samples)
    else if (message.type === 'level') this.#hub.emit('level', { user: message.user, agent: message.agent })
    else {
      const playedSamples = this.#heard.read(message, sound.outputDelayMs)
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
    return this.#parts.sound.track !== null
  }

  #hearMessage(message: CallMessage): void {
    if (message.type === 'clear') this.#parts.sound.clear()
    else if (message.type === 'state') this.#changeActivity(message.agent, message.user)
    else if (message.type === 'caption') {
      const { id, role, text, final, interrupted } = message
      this.#hub.emit('transcript', { id, role, text, final, interrupted })
    } else if (message.type === 'agent') this.#become(message)
    else if (message.type === 'node-transition') {
      const { nodeId, nodeName, path } = message
      this.#hub.emit('node-transition', { nodeId, nodeName, path })
    } else if (message.type === 'tool') this.#hub.emit('tool', { name: message.name, phase: message.phase })
    else if (message.type === 'latency') {
      this.#hub.emit('latency', { turnId: message.turnId, latency: message.latency })
    } else {
      if (message.code === NOBODY_LISTENS) this.#listenHere()
      this.#warn({ code: message.code, message: message.message })
    }
  }

  /** The server has no recogniser left: the browser's own takes over, where it has one. */
  #listenHere(): void {
    if (this.#hasEars) return
    this.#hasEars = true
    this.#recognition = this.#parts.makeRecogniser === null || !this.#hasMicrophone ? 'none' : 'browser'
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

  #become({ agentName, language }: Extract<CallMessage, { type: 'agent' }>): void {
    this.#agentName = agentName
    this.#hub.emit('agent', { agentName })
    if (this.#parts.isLanguageChosen || language === '' || language === this.#language) return
    this.#language = language
    if (this.#recogniser === null) return
    this.#stopRecognition()
    this.#startRecognition()
  }

  #setMuted(muted: boolean): void {
    if (this.#isOver || muted === this.#isMuted) return
    this.#isMuted = muted
    this.#parts.sound.setMuted(muted)
    this.#parts.channel.send({ type: 'muted', muted })
    if (muted) this.#stopRecognition()
    else this.#startRecognition()
  }

  #startRecognition(): void {
    const { makeRecogniser, channel, clock, joined, sound } = this.#parts
    const canListen = this.#hasEars && makeRecogniser !== null && this.#hasMicrophone
    if (!canListen || this.#isMuted || this.#isOver) return
    this.#recognitions += 1
    this.#recogniser = new BrowserRecognition({
      make: makeRecogniser,
      clock,
      language: this.#language,
      idPrefix: `${joined.elapsedMs}-${this.#recognitions}-`,
      track: () => sound.track,
      onText: (utteranceId, text, stage) => {
        this.#recognition = 'browser'
        channel.send({ type: 'recognised', utteranceId, text, stage })
      },
      onUnavailable: () => {
        this.#recogniser = null
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
    this.#recogniser?.stop()
    this.#recogniser = null
  }

  #checkAutoplay(): void {
    if (this.#isOver || this.#parts.sound.isRunning) return
    const { code, message, fix } = new CallProblem('autoplay_blocked')
    this.#warn({ code, message: `${message} ${fix}` })
  }

  #warn(warning: CallEvents['warning'] | null): void {
    if (warning !== null && !this.#isOver) this.#hub.emit('warning', warning)
  }

  #finish(reason: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stopRecognition()
    this.#parts.sound.close()
    this.#parts.onOver()
    this.#hub.emit('ended', { reason })
  }
}
