import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ClientMessage, LIVE_PATH } from '@parley/contract/live'
import { pathsOf } from '@parley/contract/operation'
import type { Clock } from '@parley/engine/ports'
import type { WebSocketServer } from 'ws'
import type {
  CallerAdmission,
  CallRefusal,
  ListenerAdmission,
  LiveCallHost,
  StartedCall,
} from '../../kernel/live-calls.ts'
import { networkOf } from '../../kernel/network-of.ts'
import { createTokenBuckets } from '../../kernel/token-buckets.ts'
import { hearListener } from './line-listeners.ts'
import { createLiveLines } from './live-lines.ts'
import { refuseUpgrade } from './refuse-upgrade.ts'
import { SocketLeg } from './socket-leg.ts'
import { CLOSE_CODES, type LineSocket, SocketLine } from './socket-line.ts'

export interface LiveEndpointOptions {
  /** Of the HTTP interface: the channel shares its port. */
  readonly server: Server
  readonly host: Pick<LiveCallHost, 'start' | 'endAll'>
  readonly callers: CallerAdmission
  readonly listeners: ListenerAdmission
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
  /** Text of letters and digits that nobody can guess. */
  readonly makeSecret: () => string
  /** Where a request comes from, as far as trusted proxies tell. */
  readonly addressOf: (request: IncomingMessage) => string
}

/** The WebSocket of calls in browsers. */
export interface LiveEndpoint {
  /** Calls whose line is held here, those that wait for their caller to come back included. */
  readonly lineCount: number
  /** Frames that connections did not take since the start. */
  readonly droppedFrames: number
  /**
   * Takes nobody any more, waits until all calls are over, at most `deadlineMs`, and cuts off those that are not. Has to be
   * over before the server is closed: that waits for these connections, and does not know how to end them.
   */
  stop(deadlineMs: number): Promise<void>
}

const PATHS: ReadonlySet<string> = new Set(pathsOf({ path: LIVE_PATH }))
/** No message of the protocol is near this, and no sound that is sent in time. */
const MAX_PAYLOAD_BYTES = 32 * 1024
const FIRST_MESSAGE_MS = 5_000
/** Connections that have not said yet what they want. */
const MOST_STRANGERS = 256
const ATTEMPTS = { perSecond: 1, burst: 30 }
/** For connections to close once their calls were cut off. */
const CLOSING_MS = 1_000

const STOPPING: CallRefusal = {
  ok: false,
  code: 'unavailable',
  message: 'This server is stopping; try again.',
  retry: true,
}
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

const NOT_ADDED: Readonly<Record<'elsewhere' | 'full' | 'over', CallRefusal>> = {
  elsewhere: HELD_ELSEWHERE,
  full: { ok: false, code: 'unavailable', message: 'Too many listen to this call already.', retry: false },
  over: { ok: false, code: 'call_ended', message: 'The call is over.', retry: false },
}

/**
 * Mounts the live channel. The origin of a page is not looked at: the credential is a token within the first message, which no
 * browser adds by itself, so that a foreign page can do no more than one without it.
 */
export function createLiveEndpoint(options: LiveEndpointOptions): LiveEndpoint {
  const { server, clock, logError, addressOf } = options
  const takeAttempt = createTokenBuckets(ATTEMPTS, clock)
  const lines = createLiveLines({ processTag: options.makeSecret().slice(0, 12), makeSecret: options.makeSecret })
  /** With what forgets each of them. */
  const strangers = new Map<SocketLine, () => void>()
  let sockets: Promise<WebSocketServer> | null = null
  let isStopping = false
  let droppedFrames = 0

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    sockets ??= openSockets()
    const server = await sockets
    server.handleUpgrade(request, socket, head, (opened) => welcome(new SocketLine(opened as LineSocket, clock)))
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    if (!PATHS.has(request.url?.split('?', 1)[0] ?? '')) {
      refuseUpgrade(socket, { code: 'not_found', message: 'Nothing speaks another protocol at this path.' })
    } else if (isStopping || strangers.size >= MOST_STRANGERS) {
      refuseUpgrade(socket, { code: 'unavailable', message: 'Try again in a moment.', retryAfterSeconds: 1 })
    } else if (!takeAttempt(networkOf(addressOf(request))).isTaken) {
      refuseUpgrade(socket, { code: 'rate_limited', message: 'Too many attempts; wait.', retryAfterSeconds: 5 })
    } else {
      upgrade(request, socket, head).catch((error: unknown) => {
        logError('open-live-channel', error)
        socket.destroy()
      })
    }
  }

  /** Waits for the first message. */
  function welcome(line: SocketLine): void {
    const refuse = (code: string, message: string): void => {
      leave()
      line.refuse({ code, message, retry: false }, CLOSE_CODES.policy)
    }
    const cancel = clock.after(FIRST_MESSAGE_MS, () => refuse('too_late', 'The first message did not come in time.'))
    const leave = (): void => {
      cancel()
      strangers.delete(line)
    }
    strangers.set(line, leave)
    line.listen({
      message(message) {
        if (message.type !== 'join' && message.type !== 'resume' && message.type !== 'listen') {
          refuse('not_joined', 'The first message must be join, resume or listen.')
          return
        }
        leave()
        if (isStopping) refuseLine(line, STOPPING)
        else enter(line, message)
      },
      invalid: (problem) => refuse('invalid_message', problem ?? 'The first message must be join, resume or listen.'),
      sound: () => refuse('not_joined', 'The first message must be join, resume or listen.'),
      gone: leave,
    })
  }

  function enter(line: SocketLine, message: Extract<ClientMessage, { type: 'join' | 'resume' | 'listen' }>): void {
    if (message.type === 'resume') {
      resume(line, message)
      return
    }
    const work = message.type === 'join' ? join(line, message) : listen(line, message.accessToken)
    work.catch((error: unknown) => {
      logError('enter-live-channel', error)
      refuseLine(line, { ok: false, code: 'unavailable', message: 'Try again in a moment.', retry: true })
    })
  }

  async function join(line: SocketLine, message: Extract<ClientMessage, { type: 'join' }>): Promise<void> {
    const leg: SocketLeg = new SocketLeg({
      clock,
      rateHz: message.rateHz,
      cancelsEcho: message.echoCancellation,
      recognizesSpeech: message.recognition,
      makeResumeToken: () => lines.makeToken(leg),
      waitsForReturn: () => !isStopping,
      onOver() {
        droppedFrames += leg.droppedFrames
        lines.remove(leg)
      },
    })
    lines.add(leg)
    leg.attach(line)
    try {
      const joined = await start(message.accessToken, leg)
      if (joined.ok) {
        lines.name(leg, joined.callId)
        leg.begin(joined)
        return
      }
      lines.remove(leg)
      refuseLine(line, joined)
    } catch (error) {
      lines.remove(leg)
      throw error
    }
  }

  async function start(accessToken: string, leg: SocketLeg): Promise<StartedCall | CallRefusal> {
    const admitted = await options.callers.admit(accessToken)
    if (!admitted.ok) return admitted
    const started = await options.host.start({ callId: admitted.callId, leg, observer: leg })
    if (!started.ok) await admitted.giveBack()
    return started
  }

  function resume(line: SocketLine, message: Extract<ClientMessage, { type: 'resume' }>): void {
    const leg = lines.byToken(message.resumeToken)
    if (leg === null) refuseLine(line, UNKNOWN_TOKEN)
    else if (leg === 'elsewhere') refuseLine(line, HELD_ELSEWHERE)
    else leg.resume(line, message.lastSeq)
  }

  async function listen(line: SocketLine, accessToken: string): Promise<void> {
    hearListener(line, () => undefined)
    const admitted = await options.listeners.admit(accessToken)
    if (!line.isOpen) return
    if (!admitted.ok) {
      refuseLine(line, admitted)
      return
    }
    const leg = lines.byCall(admitted.callId)
    const added = leg?.addListener(line) ?? 'elsewhere'
    if (added !== 'added') {
      refuseLine(line, NOT_ADDED[added])
      return
    }
    const stopWatching = admitted.watch((refusal) => {
      leg?.listeners.remove(line)
      refuseLine(line, refusal)
    })
    line.whenEnded(stopWatching)
  }

  async function empty(deadlineMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = clock.after(deadlineMs, resolve)
    lines.whenEmpty(resolve)
    await promise
    cancel()
  }

  server.on('upgrade', onUpgrade)
  return {
    get lineCount() {
      return lines.size
    },
    get droppedFrames() {
      return lines.all().reduce((sum, leg) => sum + leg.droppedFrames, droppedFrames)
    },
    async stop(deadlineMs) {
      isStopping = true
      for (const [line, leave] of [...strangers]) {
        leave()
        refuseLine(line, STOPPING)
      }
      for (const leg of lines.all()) leg.forget()
      if (deadlineMs > 0) await empty(deadlineMs)
      // The calls before their lines: their record says the same as callers are told.
      options.host.endAll()
      for (const leg of lines.all()) leg.cutOff('error_node_lost')
      await closeSockets(await sockets, clock)
      server.off('upgrade', onUpgrade)
    },
  }
}

function refuseLine(line: SocketLine, { code, message, retry }: CallRefusal): void {
  line.refuse({ code, message, retry }, retry ? CLOSE_CODES.goingAway : CLOSE_CODES.policy)
}

/** Loaded for the first caller: it costs some milliseconds that no start has to pay. */
async function openSockets(): Promise<WebSocketServer> {
  const { WebSocketServer: Sockets } = await import('ws')
  return new Sockets({ noServer: true, maxPayload: MAX_PAYLOAD_BYTES, perMessageDeflate: false })
}

/** Waits a moment for connections to close properly, then ends them. */
async function closeSockets(sockets: WebSocketServer | null, clock: Clock): Promise<void> {
  if (sockets === null) return
  const closed = new Promise<void>((resolve) => sockets.close(() => resolve()))
  const cancel = clock.after(CLOSING_MS, () => {
    for (const socket of sockets.clients) socket.terminate()
  })
  await closed
  cancel()
}
