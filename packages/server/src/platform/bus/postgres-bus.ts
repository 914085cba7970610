import { Socket } from 'node:net'
import type { Clock } from '@parley/engine/ports'
import { Client, type QueryConfig } from 'pg'
import { createLinkedBus, type Link, type LinkEvents } from './linked-bus.ts'
import type { NodeBus } from './node-bus.ts'
import { createAssembly, toFrames } from './notify-frames.ts'

export interface PostgresBusOptions {
  /** Of the database, past any pooler that shares connections by transaction. */
  readonly url: string
  /** Of this process alone. */
  readonly nodeId: string
  readonly clock: Pick<Clock, 'after'>
  /** Hears of each outage once, without addresses and secrets. */
  readonly logError: (name: string, error: unknown) => void
}

/** Channels belong to a database, and a database to one installation. */
const CHANNEL = 'parley_bus'
const CONNECT_TIMEOUT_MS = 5_000
/** Any statement of this connection takes a moment; longer, and the cable is cut. */
const ANSWER_TIMEOUT_MS = 5_000
const PING_EVERY_MS = 10_000
const FIRST_RETRY_MS = 50
const LONGEST_RETRY_MS = 2_000

/** A failure of the connection, without what it was given. */
class PostgresBusError extends Error {
  readonly code: string
  constructor(code: string) {
    super('There is no connection to PostgreSQL for messages between nodes.')
    this.name = 'PostgresBusError'
    this.code = code
  }
}

/** A bus over LISTEN and NOTIFY, on one connection of its own: one thing to watch, and what it sends and hears fails together. */
export function createPostgresBus(options: PostgresBusOptions): NodeBus {
  return createLinkedBus({ ...options, openLink: (events) => openPostgresLink(options, events) })
}

function openPostgresLink({ url, clock, logError }: PostgresBusOptions, events: LinkEvents): Link {
  const assembly = createAssembly()
  let session: Session | null = null
  let isConnected = false
  let isClosed = false
  let isFailureLogged = false
  let reason = 'no answer'
  let messageNumber = 0
  let failures = 0
  let cancelRetry = (): void => {}

  const sessionEvents: SessionEvents = {
    onNotification(publisher, payload) {
      const text = assembly.add(publisher, payload)
      if (text !== null) events.received(text)
    },
    listening() {
      failures = 0
      isConnected = true
      isFailureLogged = false
      events.up()
    },
    ended,
  }

  function connect(): void {
    try {
      session = openSession(url, clock, sessionEvents)
    } catch (error) {
      // Such as a certificate of the URL's options that cannot be read any more.
      ended(error)
    }
  }

  function ended(error: unknown): void {
    session = null
    assembly.clear()
    reason = codeOf(error)
    if (isConnected) events.down()
    isConnected = false
    if (isClosed) return
    if (!isFailureLogged) logError('postgres bus', new PostgresBusError(reason))
    isFailureLogged = true
    cancelRetry = clock.after(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(10, failures)), connect)
    failures += 1
  }

  connect()
  return {
    async send(texts) {
      if (session === null || !isConnected) throw new PostgresBusError(reason)
      const frames = texts.flatMap((text) => {
        messageNumber += 1
        return toFrames(messageNumber, text)
      })
      await session.ask({
        name: 'notify',
        text: `select pg_notify('${CHANNEL}', frame) from unnest($1::text[]) frame`,
        values: [frames],
      })
    },
    status: () => (isConnected ? null : `PostgreSQL cannot be reached for messages between nodes (${reason}).`),
    async close() {
      isClosed = true
      cancelRetry()
      session?.cut()
    },
  }
}

interface SessionEvents {
  onNotification(publisher: number, payload: string): void
  listening(): void
  /** Once, whatever came before. */
  ended(error: unknown): void
}

/** One connection, from its first byte to its last. */
interface Session {
  /** One statement at a time, in order. Too slow an answer ends the session. */
  ask(query: QueryConfig): Promise<void>
  cut(): void
}

function openSession(url: string, clock: Pick<Clock, 'after'>, events: SessionEvents): Session {
  // Ours, so that it can be cut at any stage: a farewell to a server that is gone would wait for its answer.
  const socket = new Socket()
  let reason: unknown = null
  let tail: Promise<unknown> = Promise.resolve()
  let cancelPing = (): void => {}
  let hasEnded = false

  const client = new Client({
    connectionString: url,
    application_name: 'parley-bus',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    stream: () => socket,
  })

  async function sendQuery(query: QueryConfig): Promise<void> {
    const cancel = clock.after(ANSWER_TIMEOUT_MS, () => socket.destroy())
    try {
      await client.query(query)
    } finally {
      cancel()
    }
  }

  function ask(query: QueryConfig): Promise<void> {
    const answer = tail.then(() => sendQuery(query))
    tail = answer.catch(() => {})
    return answer
  }

  function watch(): void {
    if (hasEnded) return
    cancelPing = clock.after(PING_EVERY_MS, () => {
      ask({ name: 'ping', text: 'select 1' }).then(watch, () => socket.destroy())
    })
  }

  async function begin(): Promise<void> {
    await client.connect()
    await ask({ text: `listen ${CHANNEL}` })
    events.listening()
    watch()
  }

  client.on('error', (error) => {
    reason = error
  })
  client.on('notification', ({ processId, payload }) => events.onNotification(processId, payload ?? ''))
  client.on('end', () => {
    hasEnded = true
    cancelPing()
    events.ended(reason)
  })
  begin().catch((error: unknown) => {
    reason ??= error
    socket.destroy()
  })
  return { ask, cut: () => void socket.destroy() }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? code : 'no answer'
}
