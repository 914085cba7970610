import { type ClientMessage, countsAsReceived } from '@parley/contract/live'
import type { LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import type { StartedCall } from '../../features/calls/public.ts'
import type { AudioMessage } from '../channel/audio-messages.ts'
import { MessageFeed } from '../channel/message-feed.ts'
import { joinedMessage } from '../channel/server-message.ts'
import { CLOSE_CODES, type WebConnection } from '../channel/web-connection.ts'
import { WebLeg } from './web-leg.ts'

export interface WebCallOptions {
  readonly clock: Clock
  readonly rateHz: LegRateHz
  readonly cancelsEcho: boolean
  readonly recognizesSpeech: boolean
  /** Makes a token that resumes this call, and is asked no more once the call is over. */
  readonly makeResumeToken: () => string
  /** Whether a call that ended while its caller was away is kept, so that the caller can be told how. */
  readonly keepsForReturn: () => boolean
  /** The call is over and nobody will ask for it again. */
  readonly onEnded: () => void
}

/** How long a call waits for a caller whose connection broke. */
const RESUME_MS = 15_000

const ignore = (): void => {}

/** A call in a browser: one leg over as many connections as the caller's network makes necessary. */
export class WebCall {
  readonly leg: WebLeg
  /** What the call shows to its caller, and to listeners. */
  readonly feed = new MessageFeed()
  readonly #options: WebCallOptions
  #connection: WebConnection | null = null
  #started: StartedCall | null = null
  /** Messages of the caller that count as received. */
  #received = 0
  #cancelWait = ignore

  constructor(options: WebCallOptions) {
    const { clock, rateHz, cancelsEcho, recognizesSpeech } = options
    this.#options = options
    this.leg = new WebLeg({
      ...{ clock, rateHz, cancelsEcho, recognizesSpeech, maxGapMs: RESUME_MS },
      onWarning: (code, message) => this.feed.publish({ type: 'warning', seq: 0, code, message }),
      onClosed: () => this.#end(),
    })
    this.feed.subscribe((text) => {
      if (this.#started !== null) this.#connection?.sendText(text)
    })
  }

  /** Receives over the first connection while the call is being started. */
  attach(connection: WebConnection): void {
    this.#connection = connection
    connection.listen({
      message: (message) => this.#receive(message),
      invalid: (problem, counts) => this.#receiveInvalid(problem, counts),
      audio: (audio) => this.#receiveAudio(audio, connection),
      closed: (how) => (how === 'left' ? this.#hangUp() : this.#lose()),
    })
  }

  /** The call has started: the caller is told so, and then all that was said meanwhile. */
  onStarted(started: StartedCall): void {
    this.#started = started
    if (this.leg.isEnded) return
    if (this.#connection === null) {
      // Gone while it started, without a token to come back with.
      this.#hangUp()
      return
    }
    this.#sendJoined(this.#connection, 0)
    this.leg.attach(this.#connection)
  }

  /** The caller is back; whoever held the call until now is replaced. */
  resume(connection: WebConnection, lastSeq: number): void {
    const replaced = this.#connection
    this.#connection = null
    replaced?.close(CLOSE_CODES.replaced, 'replaced')
    if (replaced !== null) this.leg.detach()
    this.#cancelWait()
    this.#cancelWait = ignore
    this.attach(connection)
    this.#sendJoined(connection, lastSeq)
    if (this.leg.isEnded) {
      this.#sendEnded()
      return
    }
    this.leg.attach(connection)
    this.leg.restore()
  }

  /** The process stops: the caller's end is told, and the call hears that its caller is gone. */
  terminate(reason: string): void {
    if (this.leg.isEnded) return
    this.feed.publish({ type: 'ended', reason })
    this.leg.hangUp({ canSendEnded: false })
    this.leg.finish()
  }

  /** Nobody who was away when the call ended is waited for any more. */
  stopWaiting(): void {
    if (this.leg.isEnded) this.#release()
  }

  #sendJoined(connection: WebConnection, lastSeq: number): void {
    const { clock, rateHz, makeResumeToken } = this.#options
    if (this.#started !== null) {
      const about = { rateHz, nowMs: clock.now(), resumeToken: this.leg.isEnded ? '' : makeResumeToken() }
      connection.send(joinedMessage(this.#started, about, { listening: false, received: this.#received }))
    }
    for (const text of this.feed.after(lastSeq)) connection.sendText(text)
    if (this.feed.state !== null) connection.send(this.feed.state)
  }

  #receive(message: ClientMessage): void {
    if (countsAsReceived(message)) this.#received += 1
    if (message.type === 'ping') this.#connection?.send({ type: 'pong', id: message.id, received: this.#received })
    else if (message.type === 'leave') this.#hangUp()
    else this.leg.receive(message)
  }

  #receiveInvalid(problem: string | null, counts: boolean): void {
    if (counts) this.#received += 1
    if (problem === null) return
    this.leg.warn('invalid_message', 'A message was left out because it is not as it must be.')
  }

  #receiveAudio(audio: AudioMessage, connection: WebConnection): void {
    if (this.leg.receiveAudio(audio)) return
    const refusal = { code: 'too_much_sound', message: 'More sound came than time has passed.', retry: false }
    connection.refuse(refusal, CLOSE_CODES.policy)
    this.#lose()
  }

  #lose(): void {
    // A connection that is full when it is refused is cut off: it is gone already.
    if (this.#connection === null) return
    this.#connection = null
    if (this.leg.isClosing) {
      this.leg.finish()
      return
    }
    this.leg.detach()
    // Whoever has not been told yet that the call has started has nothing to come back with.
    if (this.#started !== null) this.#cancelWait = this.#options.clock.after(RESUME_MS, () => this.#hangUp())
  }

  #hangUp(): void {
    if (this.leg.isClosing) return
    this.#cancelWait()
    const canSendEnded = this.#connection?.isOpen === true
    if (!canSendEnded) this.#connection = null
    this.leg.hangUp({ canSendEnded })
  }

  #end(): void {
    this.feed.close()
    this.#cancelWait()
    if (this.#connection !== null) this.#sendEnded()
    // Should the caller come back yet, it is told how the call ended.
    else if (this.#started !== null && this.#options.keepsForReturn()) {
      this.#cancelWait = this.#options.clock.after(RESUME_MS, () => this.#release())
    } else this.#release()
  }

  #sendEnded(): void {
    this.#connection?.send(this.feed.endedMessage)
    this.#connection?.close(CLOSE_CODES.done, 'ended')
    this.#connection = null
    this.#release()
  }

  #release(): void {
    this.#cancelWait()
    this.#options.onEnded()
  }
}
