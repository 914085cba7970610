import { LIVE_PATH } from '@parley/contract/live'
import { pathsOf } from '@parley/contract/operation'
import type { Clock } from '@parley/engine/ports'
import type { CallerAdmission, CallRefusal, ListenerAdmission, StartedCall } from '../../features/calls/public.ts'
import { CLOSE_CODES, type ConnectionSocket, WebConnection } from '../channel/web-connection.ts'
import { receiveFromListener } from '../listening/call-listeners.ts'
import type { ListenableCalls } from '../listening/listenable-calls.ts'
import type { AcceptedConnection, UpgradeRoute } from '../upgrades/upgrade-table.ts'
import { createFirstMessages, type FirstMessage } from './first-messages.ts'
import { WebCall } from './web-call.ts'
import { createWebCallDirectory } from './web-call-directory.ts'

export interface WebEndpointOptions {
  readonly calls: ListenableCalls
  readonly callers: CallerAdmission
  readonly listeners: ListenerAdmission
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
  /** Text of letters and digits that nobody can guess. */
  readonly makeSecret: () => string
}

/** The live channel: calls in browsers, and those who listen. */
export interface WebEndpoint extends UpgradeRoute {
  /** Calls whose leg is held here, those that wait for their caller to come back included. */
  readonly callCount: number
  /** Frames that connections did not take since the start. */
  readonly droppedFrames: number
}

const LIMITS = {
  /** No message of the protocol is near this, and no audio that is sent in time. */
  maxPayloadBytes: 32 * 1024,
  attempts: { perSecond: 1, burst: 30 },
  maxUnauthenticated: 256,
}

const STOPPING: CallRefusal = {
  ok: false,
  code: 'unavailable',
  message: 'This server is stopping; try again.',
  retry: true,
}
const FAILED: CallRefusal = { ok: false, code: 'unavailable', message: 'Try again in a moment.', retry: true }
const UNKNOWN_TOKEN: CallRefusal = {
  ok: false,
  code: 'token_invalid',
  message: 'The call is over, or has waited too long for its caller.',
  retry: false,
}
const HELD_ELSEWHERE: CallRefusal = {
  ok: false,
  code: 'held_elsewhere',
  message: 'Another server holds this call; try again.',
  retry: true,
}
const NOT_LISTENING: Readonly<Record<'elsewhere' | 'full' | 'over', CallRefusal>> = {
  elsewhere: HELD_ELSEWHERE,
  full: { ok: false, code: 'unavailable', message: 'Too many listen to this call already.', retry: false },
  over: { ok: false, code: 'call_ended', message: 'The call is over.', retry: false },
}

type Message<Type extends FirstMessage['type']> = Extract<FirstMessage, { type: Type }>

/**
 * Takes the connections of the live channel. The origin of a page is not looked at: the credential is a token within the first
 * message, which no browser adds by itself, so that a foreign page can do no more than one without it.
 */
export function createWebEndpoint(options: WebEndpointOptions): WebEndpoint {
  return new LiveChannel(options)
}

class LiveChannel implements WebEndpoint {
  readonly paths = pathsOf({ path: LIVE_PATH })
  readonly limits = LIMITS
  readonly #options: WebEndpointOptions
  readonly #directory
  readonly #firstMessages
  #isStopping = false
  #droppedFrames = 0

  constructor(options: WebEndpointOptions) {
    const { clock, makeSecret } = options
    this.#options = options
    this.#directory = createWebCallDirectory({ processTag: makeSecret().slice(0, 12), makeSecret })
    this.#firstMessages = createFirstMessages(clock, (connection, message) => this.#enter(connection, message))
  }

  get callCount(): number {
    return this.#directory.size
  }

  get droppedFrames(): number {
    return this.#directory.all().reduce((sum, { leg }) => sum + leg.droppedFrames, this.#droppedFrames)
  }

  accept({ socket, settle }: AcceptedConnection): void {
    const connection = new WebConnection(socket as ConnectionSocket, this.#options.clock)
    this.#firstMessages.expect(connection, settle)
  }

  async drain(): Promise<void> {
    this.#isStopping = true
    this.#firstMessages.giveUp((connection) => refuseConnection(connection, STOPPING))
    for (const call of this.#directory.all()) call.stopWaiting()
    await new Promise<void>((resolve) => this.#directory.whenEmpty(resolve))
  }

  terminate(): void {
    for (const call of this.#directory.all()) call.terminate('error_node_lost')
  }

  #enter(connection: WebConnection, message: FirstMessage): void {
    if (this.#isStopping) {
      refuseConnection(connection, STOPPING)
      return
    }
    if (message.type === 'resume') {
      this.#resume(connection, message)
      return
    }
    const work = message.type === 'join' ? this.#join(connection, message) : this.#listen(connection, message)
    work.catch((error: unknown) => {
      this.#options.logError('enter-live-channel', error)
      refuseConnection(connection, FAILED)
    })
  }

  async #join(connection: WebConnection, message: Message<'join'>): Promise<void> {
    const call = this.#openCall(message)
    call.attach(connection)
    try {
      const started = await this.#start(message.accessToken, call)
      if (started.ok) {
        call.onStarted(started)
        return
      }
      this.#directory.remove(call)
      refuseConnection(connection, started)
    } catch (error) {
      this.#directory.remove(call)
      throw error
    }
  }

  #openCall({ rateHz, echoCancellation, recognition }: Message<'join'>): WebCall {
    const call: WebCall = new WebCall({
      clock: this.#options.clock,
      rateHz,
      cancelsEcho: echoCancellation,
      recognizesSpeech: recognition,
      makeResumeToken: () => this.#directory.makeToken(call),
      keepsForReturn: () => !this.#isStopping,
      onEnded: () => {
        this.#droppedFrames += call.leg.droppedFrames
        this.#directory.remove(call)
      },
    })
    this.#directory.add(call)
    return call
  }

  /** Uses the token up, which works again where the call does not start. */
  async #start(accessToken: string, { leg, feed }: WebCall): Promise<StartedCall | CallRefusal> {
    const admitted = await this.#options.callers.admit(accessToken)
    if (!admitted.ok) return admitted
    let isStarted = false
    try {
      const started = await this.#options.calls.start({ callId: admitted.callId, leg, feed })
      isStarted = started.ok
      return started
    } finally {
      if (!isStarted) await admitted.release()
    }
  }

  #resume(connection: WebConnection, { resumeToken, lastSeq }: Message<'resume'>): void {
    const call = this.#directory.byToken(resumeToken)
    if (call === null) refuseConnection(connection, UNKNOWN_TOKEN)
    else if (call === 'elsewhere') refuseConnection(connection, HELD_ELSEWHERE)
    else call.resume(connection, lastSeq)
  }

  async #listen(connection: WebConnection, { accessToken }: Message<'listen'>): Promise<void> {
    receiveFromListener(connection, () => undefined)
    const admitted = await this.#options.listeners.admit(accessToken)
    if (!connection.isOpen) return
    if (!admitted.ok) {
      refuseConnection(connection, admitted)
      return
    }
    const stopListening = this.#options.calls.listen(admitted.callId, connection)
    if (typeof stopListening === 'string') {
      refuseConnection(connection, NOT_LISTENING[stopListening])
      return
    }
    const stopWatching = admitted.watch((refusal) => {
      stopListening()
      refuseConnection(connection, refusal)
    })
    connection.whenEnded(stopWatching)
  }
}

function refuseConnection(connection: WebConnection, { code, message, retry }: CallRefusal): void {
  connection.refuse({ code, message, retry }, retry ? CLOSE_CODES.goingAway : CLOSE_CODES.policy)
}
