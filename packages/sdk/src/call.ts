import type { CallAudio } from './audio/call-audio.ts'
import { PlayoutPosition } from './audio/playout-position.ts'
import type { FromProcessor } from './audio/worklet-messages.ts'
import { type CallEvents, EventHub } from './call-events.ts'
import { CallProblem, type CallProblemCode } from './call-problem.ts'
import type { CallMessage, ChannelEvent, LiveChannel } from './channel/live-channel.ts'
import type { AgentActivity, JoinedMessage, UserActivity } from './channel/live-protocol.ts'
import type { ClientClock } from './clock.ts'
import { NetworkMonitor } from './network-monitor.ts'
import { BrowserRecognition, type SpeechRecognizer } from './recognition.ts'

/** The parts of `CallAudio` that a call uses. */
export type AudioPort = Pick<
  CallAudio,
  | 'track'
  | 'isRunning'
  | 'isPlaybackAllowed'
  | 'outputDelayMs'
  | 'output'
  | 'resume'
  | 'start'
  | 'play'
  | 'clear'
  | 'setGain'
  | 'setMuted'
  | 'setMicrophone'
  | 'setSpeaker'
  | 'close'
>

interface CallParts {
  readonly channel: LiveChannel
  readonly audio: AudioPort
  readonly clock: ClientClock
  readonly joined: JoinedMessage
  /** Whether the call was resumed by a page that did not start it. */
  readonly isResumed: boolean
  /** Language of speech recognition. */
  readonly language: string
  /** Whether the page set the language explicitly, so that it does not follow the agent. */
  readonly hasExplicitLanguage: boolean
  /** Creates the browser's speech recognizer, or `null` if it is unavailable or disabled. */
  readonly createRecognizer: (() => SpeechRecognizer) | null
  /** Called once when the call ends. */
  readonly onEnded: () => void
}

/** If playback is blocked for this long, a user gesture is required. */
const AUTOPLAY_TIMEOUT_MS = 500
/** If allowed playback has not started after this further time, there is no loudspeaker. Firefox then plays nothing. */
const SPEAKER_TIMEOUT_MS = 4_000
/** Code of the warning that the server has stopped recognizing speech. */
const SPEECH_NOT_RECOGNIZED = 'speech_not_recognised'
const DTMF_DIGIT = /^[0-9*#A-D]$/
const MAX_TEXT_LENGTH = 4_000

/** A connected call, created by `startCall`. */
export class Call {
  readonly callId: string
  /** Messages about fallbacks for vendors that are not configured. */
  readonly standIns: readonly string[]
  readonly #parts: CallParts
  readonly #hub = new EventHub<CallEvents>()
  readonly #playoutPosition: PlayoutPosition
  readonly #network: NetworkMonitor
  readonly #startedAtMs: number
  #recognizer: BrowserRecognition | null = null
  #recognitionCount = 0
  #agentName: string
  #language: string
  /** Whether the browser recognizes speech in this call. */
  #isBrowserRecognitionRequested: boolean
  #recognitionMode: 'browser' | 'server' | 'none'
  #agentActivity: AgentActivity = 'idle'
  #userActivity: UserActivity = 'silent'
  #isMuted = false
  #isEnded = false

  constructor(parts: CallParts) {
    const { joined, clock, audio } = parts
    const { rateHz } = joined
    this.#parts = parts
    this.callId = joined.callId
    this.#agentName = joined.agentName
    this.#language = parts.language
    this.#isBrowserRecognitionRequested = joined.recognition === 'browser'
    this.#recognitionMode = joined.recognition
    this.standIns = joined.standIns
    this.#playoutPosition = new PlayoutPosition(rateHz)
    this.#network = new NetworkMonitor(clock)
    this.#startedAtMs = clock.now() - joined.elapsedMs
    // A resumed page does not know the number of captured samples, but the elapsed time limits it.
    audio.start(parts.isResumed ? Math.ceil((joined.elapsedMs * rateHz) / 1_000) : 0, rateHz)
    this.#hub.emit('call-started', { callId: this.callId, agentName: this.agentName })
    this.#startRecognition()
    clock.after(0, () => this.#hub.open())
    clock.after(AUTOPLAY_TIMEOUT_MS, () => this.#checkAutoplay())
  }

  /** Name of the current agent, which changes after a handoff. */
  get agentName(): string {
    return this.#agentName
  }

  /** Side that recognizes speech: the browser or the server. `none` means that the caller types. */
  get recognition(): 'browser' | 'server' | 'none' {
    return this.#hasMicrophone ? this.#recognitionMode : 'none'
  }

  get muted(): boolean {
    return this.#isMuted
  }

  get ended(): boolean {
    return this.#isEnded
  }

  /** Milliseconds since the call started. */
  get elapsedMs(): number {
    return this.#parts.clock.now() - this.#startedAtMs
  }

  /** Token that resumes the call from another page, for example after a reload (see `startCall`). */
  get resumeToken(): string | null {
    return this.#parts.channel.resumeToken
  }

  /** Audio node with the agent's audio, for meters and recorders. */
  get output(): AudioNode {
    return this.#parts.audio.output
  }

  /** Adds a listener and returns a function that removes it. */
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

  /**
   * Switches the microphone; `null` is the system default. If that fails, rejects with a `CallProblem` and keeps the previous
   * microphone.
   */
  async setMicrophone(deviceId: string | null): Promise<void> {
    await this.#parts.audio.setMicrophone(deviceId)
    if (this.#recognizer) this.#recognizer.restart()
    else this.#startRecognition()
  }

  /** Switches the loudspeaker. Rejects with a `CallProblem` if the browser does not support switching. */
  async setSpeaker(deviceId: string): Promise<void> {
    await this.#parts.audio.setSpeaker(deviceId)
  }

  /** Sends typed text. */
  type(text: string): void {
    const trimmed = text.trim().slice(0, MAX_TEXT_LENGTH)
    if (trimmed !== '') this.#parts.channel.send({ type: 'typed', text: trimmed })
  }

  /** Sends DTMF keys: 0 to 9, `*`, `#`, and A to D. Other characters are ignored. */
  sendDigits(digits: string): void {
    for (const digit of digits.toUpperCase()) {
      if (DTMF_DIGIT.test(digit)) this.#parts.channel.send({ type: 'dtmf', digit })
    }
  }

  /** Retries blocked playback. Call this method from a user gesture. */
  resumeAudio(): void {
    this.#parts.audio.resume()
  }

  /** Hangs up. */
  end(): void {
    if (this.#isEnded) return
    this.#parts.channel.leave()
    this.#finish('user_hangup')
  }

  /** Handles a channel event. Only for use by `startCall`. */
  handleChannelEvent(event: ChannelEvent): void {
    if (this.#isEnded) return
    if (event.type === 'audio') this.#parts.audio.play(event.startSample, event.samples)
    else if (event.type === 'message') this.#handleMessage(event.message)
    else if (event.type === 'reconnecting') this.#hub.emit('reconnecting', {})
    else if (event.type === 'reconnected') this.#hub.emit('reconnected', {})
    else if (event.type === 'round-trip') this.#warn(this.#network.recordRoundTrip(event.durationMs))
    else if (event.type === 'ended') this.#finish(event.reason)
    else if (event.type === 'failed') {
      this.#hub.emit('error', event.problem)
      this.#finish(event.problem.code)
    }
  }

  /** Handles a message from the audio processor. Only for use by `startCall`. */
  handleAudioMessage(message: FromProcessor): void {
    if (this.#isEnded) return
    const { channel, audio } = this.#parts
    if (message.type === 'captured') channel.sendAudio(message.startSample, message.samples)
    else if (message.type === 'level') this.#hub.emit('level', { user: message.user, agent: message.agent })
    else {
      const playedSamples = this.#playoutPosition.read(message, audio.outputDelayMs)
      channel.send({ type: 'position', playedSamples, capturedSamples: message.capturedSamples })
      this.#warn(this.#network.recordUnderruns(message.underruns))
    }
  }

  /** Switches to another microphone, or continues without one. Only for use by `startCall`. */
  async replaceMicrophone(): Promise<void> {
    try {
      await this.setMicrophone(null)
    } catch {
      this.#warnAbout('no_microphone')
    }
  }

  get #hasMicrophone(): boolean {
    return this.#parts.audio.track !== null
  }

  #handleMessage(message: CallMessage): void {
    if (message.type === 'clear') this.#parts.audio.clear()
    else if (message.type === 'gain') this.#parts.audio.setGain(message.db, message.rampMs)
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

  /** Starts speech recognition in the browser if the browser supports it. */
  #startBrowserRecognition(): void {
    if (this.#isBrowserRecognitionRequested) return
    this.#isBrowserRecognitionRequested = true
    this.#recognitionMode = this.#parts.createRecognizer === null || !this.#hasMicrophone ? 'none' : 'browser'
    if (this.#recognitionMode === 'none') this.#parts.channel.send({ type: 'recognition-failed' })
    this.#startRecognition()
  }

  #changeActivity(agent: AgentActivity, user: UserActivity): void {
    const wasAgentSpeaking = this.#agentActivity === 'speaking'
    const wasUserSpeaking = this.#userActivity === 'speaking'
    this.#agentActivity = agent
    this.#userActivity = user
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
    const canRecognize = this.#isBrowserRecognitionRequested && createRecognizer !== null && this.#hasMicrophone
    if (!canRecognize || this.#isMuted || this.#isEnded) return
    this.#recognitionCount += 1
    this.#recognizer = new BrowserRecognition({
      createRecognizer,
      clock,
      language: this.#language,
      idPrefix: `${joined.elapsedMs}-${this.#recognitionCount}-`,
      track: () => audio.track,
      onText: (utteranceId, text, stage) => {
        this.#recognitionMode = 'browser'
        channel.send({ type: 'recognised', utteranceId, text, stage })
      },
      onUnavailable: () => {
        this.#recognizer = null
        this.#recognitionMode = 'none'
        channel.send({ type: 'recognition-failed' })
        this.#warn({
          code: 'recognition_unavailable',
          message: 'Speech recognition is unavailable in this browser. Type what you want to say.',
        })
      },
    })
  }

  #stopRecognition(): void {
    this.#recognizer?.stop()
    this.#recognizer = null
  }

  #checkAutoplay(): void {
    const { audio, clock } = this.#parts
    if (this.#isEnded || audio.isRunning) return
    if (audio.isPlaybackAllowed) clock.after(SPEAKER_TIMEOUT_MS, () => this.#checkSpeaker())
    else this.#warnAbout('autoplay_blocked')
  }

  #checkSpeaker(): void {
    if (!this.#parts.audio.isRunning) this.#warnAbout('speaker_not_available')
  }

  #warnAbout(problemCode: CallProblemCode): void {
    const { code, message, fix } = new CallProblem(problemCode)
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
