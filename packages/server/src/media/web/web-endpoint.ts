import { type ClientMessage, LIVE_PATH } from '@parley/contract/live'
import { listPaths } from '@parley/contract/operation'
import type { Clock } from '@parley/engine/ports'
import type { CallerAdmission, CallRefusal, ListenerAdmission, StartedCall } from '../../features/calls/public.ts'
import { CLOSE_CODES, type ConnectionSocket, WebConnection } from '../channel/web-connection.ts'
import { type ListenableCalls, receiveFromListener } from '../listening/listenable-calls.ts'
import type { AcceptedConnection, UpgradeRoute } from '../upgrades/upgrade-table.ts'
import { WebCall } from './web-call.ts'

interface WebEndpointOptions {
  readonly calls: ListenableCalls
  readonly callers: CallerAdmission
  readonly listeners: ListenerAdmission
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
  /** Returns unguessable alphanumeric text. */
  readonly makeSecret: () => string
}

/** The live channel for browser calls and their listeners. */
interface WebEndpoint extends UpgradeRoute {
  /** Number of calls in this process, including calls that wait for their caller. */
  readonly callCount: number
  /** Number of frames dropped since the start. */
  readonly droppedFrames: number
}

const LIMITS = {
  /** Far above any protocol message and any timely audio. */
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
  message: 'The call has ended or waited too long for its caller.',
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
  full: { ok: false, code: 'unavailable', message: 'This call has the maximum number of listeners.', retry: false },
  over: { ok: false, code: 'call_ended', message: 'The call has ended.', retry: false },
}

type Message<Type extends FirstMessage['type']> = Extract<FirstMessage, { type: Type }>

/**
 * Creates the live channel endpoint. The endpoint does not check the page's origin: the credential is a token in the first
 * message, which browsers never add automatically.
 */
export function createWebEndpoint(options: WebEndpointOptions): WebEndpoint {
  return new LiveChannel(options)
}

class LiveChannel implements WebEndpoint {
  readonly paths = listPaths({ path: LIVE_PATH })
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
    this.#firstMessages.giveUp((connection) => rejectConnection(connection, STOPPING))
    for (const call of this.#directory.all()) call.stopWaiting()
    await new Promise<void>((resolve) => this.#directory.whenEmpty(resolve))
  }

  terminate(): void {
    for (const call of this.#directory.all()) call.terminate('error_node_lost')
  }

  #enter(connection: WebConnection, message: FirstMessage): void {
    if (this.#isStopping) {
      rejectConnection(connection, STOPPING)
      return
    }
    if (message.type === 'resume') {
      this.#resume(connection, message)
      return
    }
    const work = message.type === 'join' ? this.#join(connection, message) : this.#listen(connection, message)
    work.catch((error: unknown) => {
      this.#options.logError('enter-live-channel', error)
      rejectConnection(connection, FAILED)
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
      rejectConnection(connection, started)
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

  /** Consumes the token and starts the call. Releases the token if the call does not start. */
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
    if (call === null) rejectConnection(connection, UNKNOWN_TOKEN)
    else if (call === 'elsewhere') rejectConnection(connection, HELD_ELSEWHERE)
    else call.resume(connection, lastSeq)
  }

  async #listen(connection: WebConnection, { accessToken }: Message<'listen'>): Promise<void> {
    receiveFromListener(connection, () => undefined)
    const admitted = await this.#options.listeners.admit(accessToken)
    if (!connection.isOpen) return
    if (!admitted.ok) {
      rejectConnection(connection, admitted)
      return
    }
    const stopListening = this.#options.calls.listen(admitted.callId, connection)
    if (typeof stopListening === 'string') {
      rejectConnection(connection, NOT_LISTENING[stopListening])
      return
    }
    const stopWatching = admitted.watch((refusal) => {
      stopListening()
      rejectConnection(connection, refusal)
    })
    connection.whenEnded(stopWatching)
  }
}

function rejectConnection(connection: WebConnection, { code, message, retry }: CallRefusal): void {
  connection.refuse({ code, message, retry }, retry ? CLOSE_CODES.goingAway : CLOSE_CODES.policy)
}

/** Message types that are allowed as the first message. */
type FirstMessage = Extract<ClientMessage, { type: 'join' | 'resume' | 'listen' }>

interface FirstMessages {
  /** Waits for the connection's first message. Calls `settle` once the message has arrived or can no longer arrive. */
  expect(connection: WebConnection, settle: () => void): void
  /** Stops waiting and passes silent connections to `refuse`. */
  giveUp(refuse: (connection: WebConnection) => void): void
}

const FIRST_MESSAGE_MS = 5_000
const EXPECTED_FIRST_MESSAGE = 'The first message must be join, resume or listen.'

/**
 * Creates a handler for first messages. Rejects connections that send a different message, or no message within some seconds.
 */
function createFirstMessages(
  clock: Clock,
  onMessage: (connection: WebConnection, message: FirstMessage) => void,
): FirstMessages {
  /** Waiting connections and their cleanup functions. */
  const waiting = new Map<WebConnection, () => void>()

  return {
    expect(connection, settle) {
      const refuse = (code: string, message: string): void => {
        leave()
        connection.refuse({ code, message, retry: false }, CLOSE_CODES.policy)
      }
      const cancel = clock.after(FIRST_MESSAGE_MS, () =>
        refuse('too_late', 'The first message did not arrive in time.'),
      )
      const leave = (): void => {
        cancel()
        waiting.delete(connection)
        settle()
      }
      waiting.set(connection, leave)
      connection.listen({
        message(message) {
          if (message.type !== 'join' && message.type !== 'resume' && message.type !== 'listen') {
            refuse('not_joined', EXPECTED_FIRST_MESSAGE)
            return
          }
          leave()
          onMessage(connection, message)
        },
        invalid: (problem) => refuse('invalid_message', problem ?? EXPECTED_FIRST_MESSAGE),
        audio: () => refuse('not_joined', EXPECTED_FIRST_MESSAGE),
        closed: leave,
      })
    },

    giveUp(refuse) {
      for (const [connection, leave] of [...waiting]) {
        leave()
        refuse(connection)
      }
    },
  }
}

/** Directory of this process's web calls by resume token. */
interface WebCallDirectory {
  /** Number of running and starting calls, including calls that wait for their caller. */
  readonly size: number
  all(): readonly WebCall[]
  add(call: WebCall): void
  remove(call: WebCall): void
  /** Creates a resume token. The previous token stays valid, because the new token may have been lost with the connection. */
  makeToken(call: WebCall): string
  /** Finds the call of a token. Returns `elsewhere` if another process created the token. */
  byToken(token: string): WebCall | 'elsewhere' | null
  /** Calls `listener` once no call is left, possibly immediately. */
  whenEmpty(listener: () => void): void
}

const TOKENS_KEPT = 2

interface WebCallDirectoryOptions {
  /** Identifies this process in tokens. */
  readonly processTag: string
  /** Returns unguessable alphanumeric text. */
  readonly makeSecret: () => string
}

function createWebCallDirectory({ processTag, makeSecret }: WebCallDirectoryOptions): WebCallDirectory {
  /** Calls and their tokens, newest first. */
  const calls = new Map<WebCall, readonly string[]>()
  const byToken = new Map<string, WebCall>()
  let waiting: (() => void)[] = []

  return {
    get size() {
      return calls.size
    },
    all: () => [...calls.keys()],
    add: (call) => void calls.set(call, []),
    remove(call) {
      for (const token of calls.get(call) ?? []) byToken.delete(token)
      if (!calls.delete(call) || calls.size > 0) return
      const listeners = waiting
      waiting = []
      for (const listener of listeners) listener()
    },
    makeToken(call) {
      const token = `${processTag}.${makeSecret()}`
      const before = calls.get(call)
      if (before === undefined) return token
      const tokens = [token, ...before]
      for (const old of tokens.slice(TOKENS_KEPT)) byToken.delete(old)
      calls.set(call, tokens.slice(0, TOKENS_KEPT))
      byToken.set(token, call)
      return token
    },
    byToken(token) {
      const call = byToken.get(token)
      if (call !== undefined) return call
      return token.startsWith(`${processTag}.`) ? null : 'elsewhere'
    },
    whenEmpty(listener) {
      if (calls.size === 0) listener()
      else waiting.push(listener)
    },
  }
}
