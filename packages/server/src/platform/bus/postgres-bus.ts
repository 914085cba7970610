import { Socket } from 'node:net'
import type { Clock } from '@parley/engine/ports'
import { Client, type QueryConfig } from 'pg'
import type { NodeBus } from './in-process-bus.ts'
import { createLinkedBus, type Link, type LinkEvents } from './linked-bus.ts'

export interface PostgresBusOptions {
  /** Direct URL of the database, without a transaction-pooling proxy. */
  readonly url: string
  /** Unique per process. */
  readonly nodeId: string
  readonly clock: Pick<Clock, 'after'>
  /** Receives each outage once, without addresses and secrets. */
  readonly logError: (name: string, error: unknown) => void
}

/** Channels are scoped to a database, which belongs to one installation. */
const CHANNEL = 'parley_bus'
const CONNECT_TIMEOUT_MS = 5_000
/** Statements on this connection are fast. A slower response means that the connection is lost. */
const RESPONSE_TIMEOUT_MS = 5_000
const PING_INTERVAL_MS = 10_000
const FIRST_RETRY_MS = 50
const MAX_RETRY_MS = 2_000

/** Error of a failed connection, without the address. */
class PostgresBusError extends Error {
  readonly code: string
  constructor(code: string) {
    super('The PostgreSQL connection for messages between nodes failed.')
    this.name = 'PostgresBusError'
    this.code = code
  }
}

/** Creates a bus over LISTEN and NOTIFY. One separate connection sends and receives, so both fail together. */
export function createPostgresBus(options: PostgresBusOptions): NodeBus {
  return createLinkedBus({ ...options, openLink: (events) => openPostgresLink(options, events) })
}

function openPostgresLink({ url, clock, logError }: PostgresBusOptions, events: LinkEvents): Link {
  const assembler = createMessageAssembler()
  let session: Session | null = null
  let isConnected = false
  let isClosed = false
  let isFailureLogged = false
  let reason = 'no response'
  let messageNumber = 0
  let failures = 0
  let cancelRetry = (): void => {}

  const sessionEvents: SessionEvents = {
    onNotification(publisher, payload) {
      const text = assembler.add(publisher, payload)
      if (text !== null) events.onMessage(text)
    },
    onListening() {
      failures = 0
      isConnected = true
      isFailureLogged = false
      events.onConnect()
    },
    onEnd: handleSessionEnd,
  }

  function connect(): void {
    try {
      session = openSession(url, clock, sessionEvents)
    } catch (error) {
      // For example, a certificate named in the URL is no longer readable.
      handleSessionEnd(error)
    }
  }

  function handleSessionEnd(error: unknown): void {
    session = null
    assembler.clear()
    reason = toErrorCode(error)
    if (isConnected) events.onDisconnect()
    isConnected = false
    if (isClosed) return
    if (!isFailureLogged) logError('postgres bus', new PostgresBusError(reason))
    isFailureLogged = true
    cancelRetry = clock.after(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(10, failures)), connect)
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
      await session.runStatement({
        name: 'notify',
        text: `select pg_notify('${CHANNEL}', frame) from unnest($1::text[]) frame`,
        values: [frames],
      })
    },
    getFault: () => (isConnected ? null : `PostgreSQL cannot be reached for messages between nodes (${reason}).`),
    async close() {
      isClosed = true
      cancelRetry()
      session?.destroy()
    },
  }
}

interface SessionEvents {
  onNotification(publisher: number, payload: string): void
  onListening(): void
  /** Called exactly once. */
  onEnd(error: unknown): void
}

/** One connection to the database. */
interface Session {
  /** Runs one statement at a time, in order. A slow response ends the session. */
  runStatement(query: QueryConfig): Promise<void>
  destroy(): void
}

function openSession(url: string, clock: Pick<Clock, 'after'>, events: SessionEvents): Session {
  // A separate socket can be destroyed at any time, whereas a graceful close would wait for a lost server.
  const socket = new Socket()
  let reason: unknown = null
  let lastStatement: Promise<unknown> = Promise.resolve()
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
    const cancelTimeout = clock.after(RESPONSE_TIMEOUT_MS, () => socket.destroy())
    try {
      await client.query(query)
    } finally {
      cancelTimeout()
    }
  }

  function runStatement(query: QueryConfig): Promise<void> {
    const response = lastStatement.then(() => sendQuery(query))
    lastStatement = response.catch(() => {})
    return response
  }

  function schedulePing(): void {
    if (hasEnded) return
    cancelPing = clock.after(PING_INTERVAL_MS, () => {
      runStatement({ name: 'ping', text: 'select 1' }).then(schedulePing, () => socket.destroy())
    })
  }

  async function startListening(): Promise<void> {
    await client.connect()
    await runStatement({ text: `listen ${CHANNEL}` })
    events.onListening()
    schedulePing()
  }

  client.on('error', (error) => {
    reason = error
  })
  client.on('notification', ({ processId, payload }) => events.onNotification(processId, payload ?? ''))
  client.on('end', () => {
    hasEnded = true
    cancelPing()
    events.onEnd(reason)
  })
  startListening().catch((error: unknown) => {
    reason ??= error
    socket.destroy()
  })
  return { runStatement, destroy: () => void socket.destroy() }
}

function toErrorCode(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? code : 'no response'
}

/** NOTIFY payloads must be shorter than 8,000 bytes, and a frame's head takes up to 40 bytes. */
const MAX_SLICE_BYTES = 7_900
/** Maximum number of publishers with an incomplete text. The frames of a text arrive together, so more than one is rare. */
const MAX_PUBLISHERS = 16
/** Maximum size of an incomplete text, larger than any text that the bus sends. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024

/**
 * Splits a text into payloads `<text number> <part> <parts>\n<slice>`. The number makes equal texts differ, because
 * PostgreSQL delivers equal payloads of a transaction once.
 */
export function toFrames(messageNumber: number, text: string): string[] {
  if (Buffer.byteLength(text) <= MAX_SLICE_BYTES) return [`${messageNumber} 0 1\n${text}`]
  const bytes = Buffer.from(text)
  const slices: string[] = []
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(bytes.length, start + MAX_SLICE_BYTES)
    // Does not split a character, because continuation bytes start with the bits 10.
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

/** Reassembles texts from frames. */
interface MessageAssembler {
  /**
   * Adds a frame. Returns the text that the frame completes, or null if the text is still incomplete. Drops frames out of
   * sequence.
   */
  add(publisher: number, frame: string): string | null
  clear(): void
}

export function createMessageAssembler(): MessageAssembler {
  const partialMessages = new Map<number, PartialMessage>()

  function continueMessage(
    publisher: number,
    [messageNumber, part, parts]: readonly [string, number, number],
  ): PartialMessage | null {
    const partialMessage = partialMessages.get(publisher)
    partialMessages.delete(publisher)
    if (part === 0) return { messageNumber, slices: [], length: 0 }
    const isNext =
      partialMessage?.messageNumber === messageNumber && partialMessage.slices.length === part && part < parts
    return isNext ? partialMessage : null
  }

  return {
    add(publisher, frame) {
      const [header = '', messageNumber = '', part, parts] = /^(\d{1,16}) (\d{1,6}) (\d{1,6})\n/.exec(frame) ?? []
      if (header === '') return null
      const partialMessage = continueMessage(publisher, [messageNumber, Number(part), Number(parts)])
      if (partialMessage === null) return null
      const slice = frame.slice(header.length)
      partialMessage.slices.push(slice)
      partialMessage.length += slice.length
      if (partialMessage.slices.length === Number(parts)) return partialMessage.slices.join('')
      if (partialMessage.length > MAX_TEXT_BYTES) return null
      partialMessages.set(publisher, partialMessage)
      for (const oldestPublisher of partialMessages.keys()) {
        if (partialMessages.size <= MAX_PUBLISHERS) break
        partialMessages.delete(oldestPublisher)
      }
      return null
    },
    clear: () => partialMessages.clear(),
  }
}
