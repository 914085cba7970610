import { Socket } from 'node:net'
import type { Clock } from '@parley/engine/ports'
import { Client, type QueryConfig } from 'pg'
import type { NodeBus } from './in-process-bus.ts'
import { createLinkedBus, type Link, type LinkEvents } from './linked-bus.ts'

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

/** A payload of NOTIFY has less than 8,000 bytes; the head of a frame needs at most 40 of them. */
const MAX_SLICE_BYTES = 7_900
/** Publishers of which a begun text is kept. Their frames arrive together, so that more than one is a rare moment. */
const MAX_PUBLISHERS = 16
/** Of a begun text; above what the bus sends. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024

/** Cuts a text into payloads `<text number> <part> <parts>\n<slice>`. The number makes equal texts differ: equal payloads of one transaction are delivered once. */
export function toFrames(messageNumber: number, text: string): string[] {
  if (Buffer.byteLength(text) <= MAX_SLICE_BYTES) return [`${messageNumber} 0 1\n${text}`]
  const bytes = Buffer.from(text)
  const slices: string[] = []
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(bytes.length, start + MAX_SLICE_BYTES)
    // Not within a character: its other bytes begin with the bits 10.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
    slices.push(bytes.toString('utf8', start, end))
    start = end
  }
  return slices.map((slice, part) => `${messageNumber} ${part} ${slices.length}\n${slice}`)
}

interface PartialMessage {
  readonly messageNumber: string
  readonly slices: string[]
  length: number
}

/** Puts texts together again. */
interface Assembly {
  /** The text that this frame completes; null when there is none. Frames that do not follow each other are dropped. */
  add(publisher: number, frame: string): string | null
  clear(): void
}

export function createAssembly(): Assembly {
  const partials = new Map<number, PartialMessage>()

  function follow(
    publisher: number,
    [messageNumber, part, parts]: readonly [string, number, number],
  ): PartialMessage | null {
    const known = partials.get(publisher)
    partials.delete(publisher)
    if (part === 0) return { messageNumber, slices: [], length: 0 }
    const isNext = known?.messageNumber === messageNumber && known.slices.length === part && part < parts
    return isNext ? known : null
  }

  return {
    add(publisher, frame) {
      const [head = '', messageNumber = '', part, parts] = /^(\d{1,16}) (\d{1,6}) (\d{1,6})\n/.exec(frame) ?? []
      if (head === '') return null
      const text = follow(publisher, [messageNumber, Number(part), Number(parts)])
      if (text === null) return null
      const slice = frame.slice(head.length)
      text.slices.push(slice)
      text.length += slice.length
      if (text.slices.length === Number(parts)) return text.slices.join('')
      if (text.length > MAX_TEXT_BYTES) return null
      partials.set(publisher, text)
      for (const oldest of partials.keys()) {
        if (partials.size <= MAX_PUBLISHERS) break
        partials.delete(oldest)
      }
      return null
    },
    clear: () => partials.clear(),
  }
}
