import { type ClientMessage, countsAsReceived } from '@parley/contract/live'
import type { LegRateHz } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import type { StartedCall } from '../../features/calls/public.ts'
import type { AudioMessage } from '../channel/audio-messages.ts'
import { buildJoinedMessage, MessageFeed } from '../channel/message-feed.ts'
import { CLOSE_CODES, type WebConnection } from '../channel/web-connection.ts'
import { WebLeg } from './web-leg.ts'

interface WebCallOptions {
  readonly clock: Clock
  readonly rateHz: LegRateHz
  readonly cancelsEcho: boolean
  readonly recognizesSpeech: boolean
  /** Creates a token that resumes this call. Not called after the call has ended. */
  readonly makeResumeToken: () => string
  /** Whether to keep a call that ended while its caller was away, so that the caller can learn how the call ended. */
  readonly shouldKeepEndedCall: () => boolean
  /** Called when the call has ended and cannot be resumed. */
  readonly onEnded: () => void
}

/** Time that a call waits for its caller to reconnect. */
const RESUME_TIMEOUT_MS = 15_000

const noop = (): void => {}

/** A browser call with one leg over any number of connections. */
export class WebCall {
  readonly leg: WebLeg
  /** Messages to the caller and to listeners. */
  readonly feed = new MessageFeed()
  readonly #options: WebCallOptions
  #connection: WebConnection | null = null
  #startedCall: StartedCall | null = null
  /** Number of messages that count as received. */
  #receivedCount = 0
  #cancelTimeout = noop

  constructor(options: WebCallOptions) {
    const { clock, rateHz, cancelsEcho, recognizesSpeech } = options
    this.#options = options
    this.leg = new WebLeg({
      ...{ clock, rateHz, cancelsEcho, recognizesSpeech, maxGapMs: RESUME_TIMEOUT_MS },
      onWarning: (code, message) => this.feed.publish({ type: 'warning', seq: 0, code, message }),
      onClosed: () => this.#handleEnd(),
    })
    this.feed.subscribe((text) => {
      if (this.#startedCall !== null) this.#connection?.sendText(text)
    })
  }

  /** Handles the messages of the first connection while the call starts. */
  attach(connection: WebConnection): void {
    this.#connection = connection
    connection.listen({
      message: (message) => this.#receive(message),
      invalid: (problem, counts) => this.#receiveInvalid(problem, counts),
      audio: (audio) => this.#receiveAudio(audio, connection),
      closed: (outcome) => (outcome === 'left' ? this.#hangUp() : this.#handleLostConnection()),
    })
  }

  /** Sends `joined` and all messages so far after the call has started. */
  onStarted(startedCall: StartedCall): void {
    this.#startedCall = startedCall
    if (this.leg.isEnded) return
    if (this.#connection === null) {
      // The caller left during the start and has no token to resume the call.
      this.#hangUp()
      return
    }
    this.#sendJoined(this.#connection, 0)
    this.leg.attach(this.#connection)
  }

  /** Resumes the call over another connection, which replaces the current connection. */
  resume(connection: WebConnection, lastSeq: number): void {
    const previousConnection = this.#connection
    this.#connection = null
    previousConnection?.close(CLOSE_CODES.replaced, 'replaced')
    if (previousConnection !== null) this.leg.detach()
    this.#cancelTimeout()
    this.#cancelTimeout = noop
    this.attach(connection)
    this.#sendJoined(connection, lastSeq)
    if (this.leg.isEnded) {
      this.#sendEnded()
      return
    }
    this.leg.attach(connection)
    this.leg.restore()
  }

  /** Notifies the caller and hangs up, because the process is stopping. */
  terminate(reason: string): void {
    if (this.leg.isEnded) return
    this.feed.publish({ type: 'ended', reason })
    this.leg.hangUp({ canSendEnded: false })
    this.leg.finish()
  }

  /** Releases a call that ended while its caller was away. */
  stopWaiting(): void {
    if (this.leg.isEnded) this.#release()
  }

  #sendJoined(connection: WebConnection, lastSeq: number): void {
    const { clock, rateHz, makeResumeToken } = this.#options
    if (this.#startedCall !== null) {
      const session = { rateHz, nowMs: clock.now(), resumeToken: this.leg.isEnded ? '' : makeResumeToken() }
      connection.send(
        buildJoinedMessage(this.#startedCall, session, { listening: false, received: this.#receivedCount }),
      )
    }
    for (const text of this.feed.getMessagesAfter(lastSeq)) connection.sendText(text)
    if (this.feed.state !== null) connection.send(this.feed.state)
  }

  #receive(message: ClientMessage): void {
    if (countsAsReceived(message)) this.#receivedCount += 1
    if (message.type === 'ping') this.#connection?.send({ type: 'pong', id: message.id, received: this.#receivedCount })
    else if (message.type === 'leave') this.#hangUp()
    else this.leg.receive(message)
  }

  #receiveInvalid(problem: string | null, isCounted: boolean): void {
    if (isCounted) this.#receivedCount += 1
    if (problem === null) return
    this.leg.warn('invalid_message', 'Ignored a malformed message.')
  }

  #receiveAudio(audio: AudioMessage, connection: WebConnection): void {
    if (this.leg.receiveAudio(audio)) return
    const rejection = { code: 'too_much_sound', message: 'Received more audio than real time allows.', retry: false }
    connection.reject(rejection, CLOSE_CODES.policy)
    this.#handleLostConnection()
  }

  #handleLostConnection(): void {
    // Rejecting a message may already have ended a congested connection.
    if (this.#connection === null) return
    this.#connection = null
    if (this.leg.isClosing) {
      this.leg.finish()
      return
    }
    this.leg.detach()
    // A caller who has not received `joined` cannot resume the call.
    if (this.#startedCall !== null)
      this.#cancelTimeout = this.#options.clock.after(RESUME_TIMEOUT_MS, () => this.#hangUp())
  }

  #hangUp(): void {
    if (this.leg.isClosing) return
    this.#cancelTimeout()
    const canSendEnded = this.#connection?.isOpen === true
    if (!canSendEnded) this.#connection = null
    this.leg.hangUp({ canSendEnded })
  }

  #handleEnd(): void {
    this.feed.close()
    this.#cancelTimeout()
    if (this.#connection !== null) this.#sendEnded()
    // Keeps the call, so that a returning caller learns how it ended.
    else if (this.#startedCall !== null && this.#options.shouldKeepEndedCall()) {
      this.#cancelTimeout = this.#options.clock.after(RESUME_TIMEOUT_MS, () => this.#release())
    } else this.#release()
  }

  #sendEnded(): void {
    this.#connection?.send(this.feed.endedMessage)
    this.#connection?.close(CLOSE_CODES.done, 'ended')
    this.#connection = null
    this.#release()
  }

  #release(): void {
    this.#cancelTimeout()
    this.#options.onEnded()
  }
}
