import type { ClientMessage, ServerMessage } from '@parley/contract/live'
import { countsAsReceived, LIVE_PROTOCOL } from '@parley/contract/live'
import type { Frame, LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import type { CallObserver, CallUpdate } from '@parley/engine/voice/call-observer'
import type { LegCapabilities, LegEvents, MediaLeg } from '@parley/engine/voice/ports'
import type { StartedCall } from '../../kernel/live-calls.ts'
import { type CallerLimits, createCallerLimits } from './caller-limits.ts'
import { createFrameCutter } from './frame-cutter.ts'
import { createLineListeners } from './line-listeners.ts'
import { createMessageHistory, isCounted } from './message-history.ts'
import { toServerMessage } from './server-message.ts'
import { CLOSE_CODES, type SocketLine } from './socket-line.ts'
import { type Sound, unwrapSample } from './sound-frames.ts'

type Told<Type extends ServerMessage['type']> = Extract<ServerMessage, { readonly type: Type }>

export interface SocketLegOptions {
  readonly clock: Clock
  readonly rateHz: LegRateHz
  readonly cancelsEcho: boolean
  readonly recognizesSpeech: boolean
  /** Makes a token that resumes this call, and is asked no more once the call is over. */
  readonly makeResumeToken: () => string
  /** Whether a call that ended while its caller was away is kept, so that the caller can be told how. */
  readonly waitsForReturn: () => boolean
  /** The call is over and nobody will ask for it again. */
  readonly onOver: () => void
}

/** How long a call waits for a caller whose connection broke. */
const RESUME_MS = 15_000
/** Far enough ahead that a hiccup of the network is not heard, near enough that little is lost when the agent is interrupted. */
const LEAD_MS = 300
/** With a message for each, writing them took a seventh of the busy time of a server with 200 calls. */
const FRAMES_TOGETHER = 3
/** What is sent before the caller has been told that the call stands: a second. */
const MOST_HELD_FRAMES = 50
/** Who has hung up is let go at the latest after this. */
const FAREWELL_MS = 2_000
/** A caller's end may have recorded so much that has not arrived yet. */
const UNARRIVED_SECONDS = 10

const ignore = (): void => {}

/** The line to a browser: one call over as many connections as its network makes necessary. */
export class SocketLeg implements MediaLeg, CallObserver {
  readonly kind = 'web'
  readonly rateHz: LegRateHz
  readonly leadMs = LEAD_MS
  readonly framesTogether = FRAMES_TOGETHER
  readonly capabilities: LegCapabilities
  /** Frames that found the connection full or broken. */
  droppedFrames = 0
  readonly listeners = createLineListeners()
  readonly #options: SocketLegOptions
  readonly #history = createMessageHistory()
  readonly #cutter
  readonly #limits: CallerLimits
  #line: SocketLine | null = null
  #events: LegEvents | null = null
  #call: StartedCall | null = null
  #state: Told<'state'> | null = null
  #ended: Told<'ended'> | null = null
  #held: { readonly frame: Frame; readonly startSample: number }[] = []
  #sentSamples = 0
  #playedSamples = 0
  /** Messages of the caller that count as received. */
  #received = 0
  /** What is added to the caller's count: a page that was loaded again begins at 0. */
  #captureOffset = 0
  #mayCountAnew = false
  #lastSoundMs = 0
  #isClosing = false
  #isHungUp = false
  #isOver = false
  #cancelWait = ignore
  #cancelClose = ignore

  constructor(options: SocketLegOptions) {
    this.#options = options
    this.rateHz = options.rateHz
    const { cancelsEcho, recognizesSpeech } = options
    this.capabilities = { cancelsEcho, recognizesSpeech, reportsPlayed: true, acceptsText: true }
    this.#cutter = createFrameCutter(options.rateHz, (frame, startSample) => {
      this.#events?.frame(frame, startSample)
      this.listeners.caller(frame)
    })
    this.#limits = createCallerLimits(options.clock, options.rateHz)
  }

  /** Hears what comes over the first line while the call is being joined. */
  attach(line: SocketLine): void {
    this.#line = line
    line.listen({
      message: (message) => this.#hear(message),
      invalid: (problem, counts) => this.#hearInvalid(problem, counts),
      sound: (sound) => this.#hearSound(sound, line),
      gone: (how) => (how === 'left' ? this.#hangUp() : this.#lose()),
    })
  }

  /** The call stands: the caller is told so, and then all that was said meanwhile. */
  begin(call: StartedCall): void {
    this.#call = call
    if (this.#isOver) return
    if (this.#line === null) {
      // Gone while it joined, without a token to come back with.
      this.#hangUp()
      return
    }
    this.#greet(this.#line, 0)
    for (const { frame, startSample } of this.#held) this.#line?.sendSound(frame, startSample)
    this.#held = []
  }

  /** The caller is back; whoever held the line until now is replaced. */
  resume(line: SocketLine, lastSeq: number): void {
    const replaced = this.#line
    this.#line = null
    replaced?.close(CLOSE_CODES.replaced, 'replaced')
    if (replaced !== null) this.#events?.lost()
    this.#cancelWait()
    this.#cancelWait = ignore
    this.attach(line)
    this.#mayCountAnew = true
    this.#greet(line, lastSeq)
    if (this.#isOver) this.#sayGoodbye()
    else this.#events?.restored()
  }

  /** Lets somebody hear the call. Where it does not, the line is as it was. */
  addListener(line: SocketLine): 'added' | 'full' | 'over' {
    const joined = this.#joined('', true)
    if (joined === null || this.#isOver) return 'over'
    return this.listeners.add(line, joined, this.#history.after(0)) ? 'added' : 'full'
  }

  listen(events: LegEvents): void {
    this.#events = events
    // Before anybody listened: the call must not begin with nobody in it.
    if (this.#isHungUp || this.#isOver) events.hungUp()
  }

  send(frame: Frame, startSample: number): void {
    if (this.#isOver) return
    this.#sentSamples = startSample + frame.length
    this.listeners.sent(frame, startSample)
    if (this.#call === null && this.#held.length < MOST_HELD_FRAMES) {
      this.#held.push({ frame: frame.slice(), startSample })
      return
    }
    const oneSecondBytes = this.rateHz * Int16Array.BYTES_PER_ELEMENT
    if (this.#call === null || this.#line === null || this.#line.waitingBytes > oneSecondBytes) {
      this.droppedFrames += 1
      return
    }
    this.#line.sendSound(frame, startSample)
  }

  clear(): void {
    this.#held = []
    this.listeners.cleared()
    if (this.#call !== null) this.#line?.say({ type: 'clear' })
  }

  notify(update: CallUpdate): void {
    this.#tell(toServerMessage(update))
  }

  close(drainMs: number): void {
    if (this.#isHungUp) this.#finish()
    if (this.#isClosing || this.#isOver) return
    this.#isClosing = true
    const isPlayed = this.#line === null || this.#playedSamples >= this.#sentSamples
    if (drainMs <= 0 || isPlayed) this.#finish()
    else this.#cancelClose = this.#options.clock.after(drainMs, () => this.#finish())
  }

  /** The process stops: the caller's end is told, and the call hears that its caller is gone. */
  cutOff(reason: string): void {
    if (this.#isOver) return
    const events = this.#events
    this.#ended ??= { type: 'ended', reason }
    this.#finish()
    events?.hungUp()
  }

  /** Nobody who was away when the call ended is waited for any more. */
  forget(): void {
    if (this.#isOver) this.#letGo()
  }

  #tell(message: ServerMessage): void {
    if (this.#isOver) return
    if (message.type === 'ended') {
      // Nothing follows it: it is said when what was sent is played.
      this.#ended = message
      return
    }
    if (message.type === 'state') this.#state = message
    const text = isCounted(message) ? this.#history.add(message) : JSON.stringify(message)
    this.listeners.told(text)
    if (this.#call !== null) this.#line?.sayText(text)
  }

  #greet(line: SocketLine, lastSeq: number): void {
    const joined = this.#joined(this.#isOver ? '' : this.#options.makeResumeToken(), false)
    if (joined !== null) line.say(joined)
    for (const text of this.#history.after(lastSeq)) line.sayText(text)
    if (this.#state !== null) line.say(this.#state)
  }

  #joined(resumeToken: string, listening: boolean): Told<'joined'> | null {
    if (this.#call === null) return null
    const { callId, agentName, language, recognition, standIns, startedAtMs } = this.#call
    const elapsedMs = Math.max(0, this.#options.clock.now() - startedAtMs)
    const about = { callId, agentName, language, recognition, standIns, rateHz: this.rateHz, elapsedMs }
    const received = listening ? 0 : this.#received
    return { type: 'joined', protocol: LIVE_PROTOCOL, ...about, resumeToken, listening, received }
  }

  #hear(message: ClientMessage): void {
    if (countsAsReceived(message)) this.#received += 1
    switch (message.type) {
      case 'position':
        this.#hearPosition(message)
        return
      case 'recognised':
        this.#hearRecognised(message)
        return
      case 'recognition-failed':
        this.#events?.recognitionFailed()
        return
      case 'typed':
        if (this.#isWithin(this.#limits.takeText(message.text))) this.#events?.typed(message.text)
        return
      case 'dtmf':
        if (this.#isWithin(this.#limits.takeText(message.digit))) this.#events?.dtmf(message.digit)
        return
      case 'ping':
        this.#line?.say({ type: 'pong', id: message.id, received: this.#received })
        return
      case 'leave':
        this.#hangUp()
        return
      // Silence comes as sound; who has joined does not join again.
      case 'muted':
      case 'join':
      case 'resume':
      case 'listen':
    }
  }

  #hearPosition({ playedSamples, capturedSamples }: Extract<ClientMessage, { type: 'position' }>): void {
    // What cannot be is brought to what can: nobody has played what was not sent, and nothing is played twice.
    this.#playedSamples = Math.max(this.#playedSamples, Math.min(playedSamples, this.#sentSamples))
    const arrived = this.#cutter.expectedSample
    const captured = this.#mayCountAnew ? arrived : capturedSamples + this.#captureOffset
    this.listeners.played(this.#playedSamples)
    this.#events?.played(this.#playedSamples, Math.min(captured, arrived + this.rateHz * UNARRIVED_SECONDS))
    if (this.#isClosing && this.#playedSamples >= this.#sentSamples) this.#finish()
  }

  #hearRecognised({ utteranceId, text, stage }: Extract<ClientMessage, { type: 'recognised' }>): void {
    if (!this.#isWithin(this.#limits.takeUtterance(utteranceId, text))) return
    if (stage === 'final') this.#events?.recognised({ type: 'final', utteranceId, text, endOfTurn: null, words: [] })
    else this.#events?.recognised({ type: 'interim', utteranceId, text, stable: stage === 'stable' })
  }

  /** Too many words are left out; the call goes on. */
  #isWithin(limit: boolean): boolean {
    if (!limit) this.#warn('too_many_words', 'A message was left out because more was said than anybody can say.')
    return limit
  }

  #hearInvalid(problem: string | null, counts: boolean): void {
    if (counts) this.#received += 1
    if (problem !== null) this.#warn('invalid_message', 'A message was left out because it is not as it must be.')
  }

  #warn(code: string, message: string): void {
    if (this.#limits.takeWarning()) this.#tell({ type: 'warning', seq: 0, code, message })
  }

  #hearSound({ startSample, samples }: Sound, line: SocketLine): void {
    const expected = this.#cutter.expectedSample
    if (this.#mayCountAnew) this.#compareCounts(startSample)
    this.#lastSoundMs = this.#options.clock.now()
    const start = unwrapSample(startSample, expected - this.#captureOffset) + this.#captureOffset
    const advance = start + samples.length - expected
    if (advance <= 0) return
    if (this.#limits.takeSound(advance)) {
      this.#cutter.push(samples, Math.max(0, start))
      return
    }
    line.refuse(
      { code: 'too_much_sound', message: 'More sound came than time has passed.', retry: false },
      CLOSE_CODES.policy,
    )
    this.#lose()
  }

  /** A caller who is back and counts from before what has arrived counts anew: the time without sound is a gap. */
  #compareCounts(startSample: number): void {
    this.#mayCountAnew = false
    const expected = this.#cutter.expectedSample
    const start = unwrapSample(startSample, expected - this.#captureOffset) + this.#captureOffset
    if (start >= expected) return
    const silentMs = Math.max(0, Math.min(RESUME_MS, this.#options.clock.now() - this.#lastSoundMs))
    this.#captureOffset = expected + Math.round((silentMs * this.rateHz) / 1000) - startSample
  }

  #lose(): void {
    // A line that is full when it is refused is cut off: it is gone already.
    if (this.#line === null) return
    this.#line = null
    if (this.#isOver) return
    if (this.#isClosing) {
      this.#finish()
      return
    }
    this.#events?.lost()
    // Whoever has not been told yet that the call stands has nothing to come back with.
    if (this.#call !== null) this.#cancelWait = this.#options.clock.after(RESUME_MS, () => this.#hangUp())
  }

  #hangUp(): void {
    if (this.#isOver || this.#isClosing) return
    const events = this.#events
    this.#isClosing = true
    this.#isHungUp = true
    this.#cancelWait()
    this.#cancelClose = this.#options.clock.after(FAREWELL_MS, () => this.#finish())
    if (this.#line?.isOpen !== true) {
      this.#line = null
      this.#finish()
    }
    events?.hungUp()
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#events = null
    this.#held = []
    this.#cancelClose()
    this.#cancelWait()
    this.listeners.ended(this.#goodbye())
    if (this.#line !== null) this.#sayGoodbye()
    // Should the caller come back yet, it is told how the call ended.
    else if (this.#call !== null && this.#options.waitsForReturn()) {
      this.#cancelWait = this.#options.clock.after(RESUME_MS, () => this.#letGo())
    } else this.#letGo()
  }

  #goodbye(): Told<'ended'> {
    return this.#ended ?? { type: 'ended', reason: 'user_hangup' }
  }

  #sayGoodbye(): void {
    this.#line?.say(this.#goodbye())
    this.#line?.close(CLOSE_CODES.done, 'ended')
    this.#line = null
    this.#letGo()
  }

  #letGo(): void {
    this.#cancelWait()
    this.#options.onOver()
  }
}
