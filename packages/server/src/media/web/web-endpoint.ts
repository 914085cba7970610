import { type ClientMessage, LIVE_PATH } from '@parley/contract/live'
import { listPaths } from '@parley/contract/operation'
import type { Clock } from '@parley/engine/ports'
import type { CallerAdmission, CallRejection, ListenerAdmission, StartedCall } from '../../features/calls/public.ts'
import { CLOSE_CODES, type ConnectionSocket, WebConnection } from '../channel/web-connection.ts'
import { handleListenerMessages, type ListenableCalls } from '../listening/listenable-calls.ts'
import type { AcceptedConnection, UpgradeRoute } from '../upgrades/upgrade-table.ts'
import { WebCall } from './web-call.ts'

interface WebEndpointOptions {
  readonly calls: ListenableCalls
  readonly callers: CallerAdmission
  readonly listeners: ListenerAdmission
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
  /** Returns an unguessable alphanumeric string. */
  readonly makeSecret: () => string
}

/** The live channel for browser calls and their listeners. */
interface WebEndpoint extends UpgradeRoute {
  /** Number of calls in this process, including calls that wait for their caller. */
  readonly callCount: number
  /** Number of frames dropped since the process started. */
  readonly droppedFrames: number
}

const LIMITS = {
  /** Far larger than any valid message. */
  maxPayloadBytes: 32 * 1024,
  attempts: { perSecond: 1, burst: 30 },
  maxUnauthenticated: 256,
}

const STOPPING_REJECTION: CallRejection = {
  ok: false,
  code: 'unavailable',
  message: 'This server is stopping. Try again.',
  retry: true,
}
const FAILURE_REJECTION: CallRejection = {
  ok: false,
  code: 'unavailable',
  message: 'Try again in a moment.',
  retry: true,
}
const UNKNOWN_TOKEN_REJECTION: CallRejection = {
  ok: false,
  code: 'token_invalid',
  message: 'The call has ended or waited too long for its caller.',
  retry: false,
}
const ELSEWHERE_REJECTION: CallRejection = {
  ok: false,
  code: 'held_elsewhere',
  message: 'Another server runs this call. Try again.',
  retry: true,
}
const LISTENER_REJECTIONS: Readonly<Record<'elsewhere' | 'full' | 'over', CallRejection>> = {
  elsewhere: ELSEWHERE_REJECTION,
  full: { ok: false, code: 'unavailable', message: 'This call has the maximum number of listeners.', retry: false },
  over: { ok: false, code: 'call_ended', message: 'The call has ended.', retry: false },
}

type Message<Type extends FirstMessage['type']> = Extract<FirstMessage, { type: Type }>

/**
 * Creates the live channel endpoint. The endpoint does not check the page's origin, because the credential is a token in the
 * first message, which browsers never send automatically.
 */
export function createWebEndpoint(options: WebEndpointOptions): WebEndpoint {
  return new LiveChannel(options)
}

class LiveChannel implements WebEndpoint {
  readonly paths = listPaths({ path: LIVE_PATH })
  readonly limits = LIMITS
  readonly #options: WebEndpointOptions
  readonly #directory
  readonly #firstMessageHandler
  #isStopping = false
  #droppedFrames = 0

  constructor(options: WebEndpointOptions) {
    const { clock, makeSecret } = options
    this.#options = options
    this.#directory = createWebCallDirectory({ processTag: makeSecret().slice(0, 12), makeSecret })
    this.#firstMessageHandler = createFirstMessageHandler(clock, (connection, message) =>
      this.#admit(connection, message),
    )
  }

  get callCount(): number {
    return this.#directory.size
  }

  get droppedFrames(): number {
    return this.#directory.listCalls().reduce((sum, { leg }) => sum + leg.droppedFrames, this.#droppedFrames)
  }

  accept({ socket, finishAuthentication }: AcceptedConnection): void {
    const connection = new WebConnection(socket as ConnectionSocket, this.#options.clock)
    this.#firstMessageHandler.waitForMessage(connection, finishAuthentication)
  }

  async drain(): Promise<void> {
    this.#isStopping = true
    this.#firstMessageHandler.rejectPending((connection) => rejectConnection(connection, STOPPING_REJECTION))
    for (const call of this.#directory.listCalls()) call.stopWaiting()
    await new Promise<void>((resolve) => this.#directory.onEmpty(resolve))
  }

  terminate(): void {
    for (const call of this.#directory.listCalls()) call.terminate('error_node_lost')
  }

  #admit(connection: WebConnection, message: FirstMessage): void {
    if (this.#isStopping) {
      rejectConnection(connection, STOPPING_REJECTION)
      return
    }
    if (message.type === 'resume') {
      this.#resume(connection, message)
      return
    }
    const admissionPromise =
      message.type === 'join' ? this.#join(connection, message) : this.#listen(connection, message)
    admissionPromise.catch((error: unknown) => {
      this.#options.logError('enter-live-channel', error)
      rejectConnection(connection, FAILURE_REJECTION)
    })
  }

  async #join(connection: WebConnection, message: Message<'join'>): Promise<void> {
    const call = this.#openCall(message)
    call.attach(connection)
    try {
      const startResult = await this.#start(message.accessToken, call)
      if (startResult.ok) {
        call.onStarted(startResult)
        return
      }
      this.#directory.remove(call)
      rejectConnection(connection, startResult)
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
      shouldKeepEndedCall: () => !this.#isStopping,
      onEnded: () => {
        this.#droppedFrames += call.leg.droppedFrames
        this.#directory.remove(call)
      },
    })
    this.#directory.add(call)
    return call
  }

  /** Consumes the token and starts the call. Releases the token if the call does not start. */
  async #start(accessToken: string, { leg, feed }: WebCall): Promise<StartedCall | CallRejection> {
    const admission = await this.#options.callers.admit(accessToken)
    if (!admission.ok) return admission
    let isStarted = false
    try {
      const startResult = await this.#options.calls.start({ callId: admission.callId, leg, feed })
      isStarted = startResult.ok
      return startResult
    } finally {
      if (!isStarted) await admission.release()
    }
  }

  #resume(connection: WebConnection, { resumeToken, lastSeq }: Message<'resume'>): void {
    const call = this.#directory.findByToken(resumeToken)
    if (call === null) rejectConnection(connection, UNKNOWN_TOKEN_REJECTION)
    else if (call === 'elsewhere') rejectConnection(connection, ELSEWHERE_REJECTION)
    else call.resume(connection, lastSeq)
  }

  async #listen(connection: WebConnection, { accessToken }: Message<'listen'>): Promise<void> {
    handleListenerMessages(connection, () => undefined)
    const admission = await this.#options.listeners.admit(accessToken)
    if (!connection.isOpen) return
    if (!admission.ok) {
      rejectConnection(connection, admission)
      return
    }
    const stopListening = this.#options.calls.listen(admission.callId, connection)
    if (typeof stopListening === 'string') {
      rejectConnection(connection, LISTENER_REJECTIONS[stopListening])
      return
    }
    const stopWatching = admission.watch((rejection) => {
      stopListening()
      rejectConnection(connection, rejection)
    })
    connection.onEnded(stopWatching)
  }
}

function rejectConnection(connection: WebConnection, { code, message, retry }: CallRejection): void {
  connection.reject({ code, message, retry }, retry ? CLOSE_CODES.goingAway : CLOSE_CODES.policy)
}

/** Message types that are allowed as the first message. */
type FirstMessage = Extract<ClientMessage, { type: 'join' | 'resume' | 'listen' }>

interface FirstMessageHandler {
  /** Waits for the connection's first message. Calls `finishAuthentication` when the wait ends for any reason. */
  waitForMessage(connection: WebConnection, finishAuthentication: () => void): void
  /** Stops waiting and passes the waiting connections to the callback. */
  rejectPending(reject: (connection: WebConnection) => void): void
}

const FIRST_MESSAGE_TIMEOUT_MS = 5_000
const EXPECTED_FIRST_MESSAGE = 'The first message must be join, resume or listen.'

/**
 * Creates a handler for first messages. Rejects connections that send any other message, or no message within 5 seconds.
 */
function createFirstMessageHandler(
  clock: Clock,
  onMessage: (connection: WebConnection, message: FirstMessage) => void,
): FirstMessageHandler {
  /** Cleanup functions of the waiting connections. */
  const pendingConnections = new Map<WebConnection, () => void>()

  return {
    waitForMessage(connection, finishAuthentication) {
      const reject = (code: string, message: string): void => {
        stopWaiting()
        connection.reject({ code, message, retry: false }, CLOSE_CODES.policy)
      }
      const cancel = clock.after(FIRST_MESSAGE_TIMEOUT_MS, () =>
        reject('too_late', 'The first message did not arrive in time.'),
      )
      const stopWaiting = (): void => {
        cancel()
        pendingConnections.delete(connection)
        finishAuthentication()
      }
      pendingConnections.set(connection, stopWaiting)
      connection.listen({
        message(message) {
          if (message.type !== 'join' && message.type !== 'resume' && message.type !== 'listen') {
            reject('not_joined', EXPECTED_FIRST_MESSAGE)
            return
          }
          stopWaiting()
          onMessage(connection, message)
        },
        invalid: (problem) => reject('invalid_message', problem ?? EXPECTED_FIRST_MESSAGE),
        audio: () => reject('not_joined', EXPECTED_FIRST_MESSAGE),
        closed: stopWaiting,
      })
    },

    rejectPending(reject) {
      for (const [connection, stopWaiting] of [...pendingConnections]) {
        stopWaiting()
        reject(connection)
      }
    },
  }
}

/** Stores this process's web calls and their resume tokens. */
interface WebCallDirectory {
  /** Number of running and starting calls, including calls that wait for their caller. */
  readonly size: number
  listCalls(): readonly WebCall[]
  add(call: WebCall): void
  remove(call: WebCall): void
  /** Creates a resume token. The previous token stays valid, because the new token may have been lost with the connection. */
  makeToken(call: WebCall): string
  /** Finds a call by its token. Returns `elsewhere` if another process created the token. */
  findByToken(token: string): WebCall | 'elsewhere' | null
  /** Calls `listener` once no calls remain, which may be immediately. */
  onEmpty(listener: () => void): void
}

const MAX_TOKENS_PER_CALL = 2

interface WebCallDirectoryOptions {
  /** Identifies this process in tokens. */
  readonly processTag: string
  /** Returns an unguessable alphanumeric string. */
  readonly makeSecret: () => string
}

function createWebCallDirectory({ processTag, makeSecret }: WebCallDirectoryOptions): WebCallDirectory {
  /** Calls and their tokens, newest first. */
  const calls = new Map<WebCall, readonly string[]>()
  const callsByToken = new Map<string, WebCall>()
  let emptyListeners: (() => void)[] = []

  return {
    get size() {
      return calls.size
    },
    listCalls: () => [...calls.keys()],
    add: (call) => void calls.set(call, []),
    remove(call) {
      for (const token of calls.get(call) ?? []) callsByToken.delete(token)
      if (!calls.delete(call) || calls.size > 0) return
      const listeners = emptyListeners
      emptyListeners = []
      for (const listener of listeners) listener()
    },
    makeToken(call) {
      const token = `${processTag}.${makeSecret()}`
      const previousTokens = calls.get(call)
      if (previousTokens === undefined) return token
      const tokens = [token, ...previousTokens]
      for (const expiredToken of tokens.slice(MAX_TOKENS_PER_CALL)) callsByToken.delete(expiredToken)
      calls.set(call, tokens.slice(0, MAX_TOKENS_PER_CALL))
      callsByToken.set(token, call)
      return token
    },
    findByToken(token) {
      const call = callsByToken.get(token)
      if (call !== undefined) return call
      return token.startsWith(`${processTag}.`) ? null : 'elsewhere'
    },
    onEmpty(listener) {
      if (calls.size === 0) listener()
      else emptyListeners.push(listener)
    },
  }
}
