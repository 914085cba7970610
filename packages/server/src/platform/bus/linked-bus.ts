import type { Clock, JsonValue } from '@parley/engine/ports'
import { createLocalTopics, type LocalTopics, type NodeBus } from './in-process-bus.ts'

/** Connection to other nodes, which reconnects after an outage. */
export interface Link {
  /** Sends the texts to all nodes, in order and in one round trip. Rejects if some texts may not have been sent. */
  send(texts: readonly string[]): Promise<void>
  getFault(): string | null
  close(): Promise<void>
}

/** Callbacks of a link, which are called only after the link was opened. They never throw. */
export interface LinkEvents {
  /** Receives texts from all nodes, including this node, in the order in which each node sent them. */
  onMessage(text: string): void
  /** Called when the link is connected. */
  onConnect(): void
  onDisconnect(): void
}

export interface LinkedBusOptions {
  /** Unique id per process, without line breaks. */
  readonly nodeId: string
  readonly openLink: (events: LinkEvents) => Link
  readonly clock: Pick<Clock, 'after'>
  readonly logError: (name: string, error: unknown) => void
}

/** Larger messages are delivered locally only. */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** Limits of pending messages during an outage. */
const OUTBOX_LIMITS = { maxMessages: 10_000, maxBytes: 8 * 1024 * 1024 }
/** Maximum size of one round trip. */
const MAX_BATCH_BYTES = 256 * 1024
/** Delay after a failed send on a connected link. */
const RETRY_MS = 1_000
/** Maximum time to send pending messages when the bus is closed. */
const FLUSH_TIMEOUT_MS = 1_000

/**
 * Creates a bus over a link. Local handlers receive messages directly, so the link's echo is ignored. Batches messages per tick and
 * round trip, and reports unsent messages as a gap.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the handlers of one link share its state.
export function createLinkedBus({ nodeId, openLink, clock, logError }: LinkedBusOptions): NodeBus {
  const topics = createLocalTopics(logError)
  const outbox = createOutbox(OUTBOX_LIMITS)
  let isConnected = false
  let isClosed = false
  let isFlushScheduled = false
  let hasLostMessages = false
  let isSending = false
  let lastSend = Promise.resolve()
  let cancelRetry = (): void => {}

  async function flushOutbox(): Promise<void> {
    isSending = true
    try {
      while (isConnected && (hasLostMessages || !outbox.isEmpty)) {
        const gapMessages = hasLostMessages ? [formatGap(nodeId)] : []
        hasLostMessages = false
        await link.send([...gapMessages, ...outbox.take(MAX_BATCH_BYTES)])
      }
    } catch (error) {
      hasLostMessages = true
      logError('bus', error)
      cancelRetry()
      if (!isClosed) cancelRetry = clock.after(RETRY_MS, flush)
    } finally {
      isSending = false
    }
  }

  function flush(): void {
    isFlushScheduled = false
    if (isSending || !isConnected) return
    lastSend = flushOutbox()
  }

  function enqueueMessage(topic: string, message: JsonValue): void {
    try {
      const text = formatMessage(nodeId, topic, message)
      const sizeBytes = Buffer.byteLength(text)
      if (sizeBytes > MAX_MESSAGE_BYTES)
        throw new Error(`The message has ${sizeBytes} bytes, too many for other nodes.`)
      if (!outbox.add(text, sizeBytes)) hasLostMessages = true
    } catch (error) {
      hasLostMessages = true
      logError(`bus topic ${topic}`, error)
    }
  }

  const link = openLink({
    onMessage: (text) => handleText(text, nodeId, { topics, logError }),
    onConnect() {
      if (isClosed) return
      isConnected = true
      topics.notifyGap()
      flush()
    },
    onDisconnect() {
      isConnected = false
    },
  })

  return {
    publish(topic, message) {
      queueMicrotask(() => topics.deliver(topic, message))
      if (isClosed) return
      enqueueMessage(topic, message)
      if (isFlushScheduled || isSending || !isConnected) return
      isFlushScheduled = true
      queueMicrotask(flush)
    },
    subscribe: topics.subscribe,
    onGap: topics.onGap,
    getFault: () => link.getFault(),
    async close() {
      if (isClosed) return
      isClosed = true
      cancelRetry()
      flush()
      const deadline = Promise.withResolvers<void>()
      const cancel = clock.after(FLUSH_TIMEOUT_MS, deadline.resolve)
      await Promise.race([lastSend, deadline.promise])
      cancel()
      isConnected = false
      await link.close()
    },
  }
}

interface ReceiveContext {
  readonly topics: LocalTopics
  readonly logError: LinkedBusOptions['logError']
}

function handleText(text: string, nodeId: string, { topics, logError }: ReceiveContext): void {
  const message = parseMessage(text)
  if (message === null || message.nodeId === nodeId) return
  if (message.topic === null) {
    topics.notifyGap()
    return
  }
  if (!topics.has(message.topic)) return
  let value: JsonValue
  try {
    value = JSON.parse(message.json)
  } catch (error) {
    logError(`bus topic ${message.topic}`, error)
    return
  }
  topics.deliver(message.topic, value)
}

/** A message between nodes. Without a topic, it reports that messages of the node were lost. */
export interface ReceivedMessage {
  readonly nodeId: string
  readonly topic: string | null
  /** Unparsed JSON, because most topics have no subscribers on this node. */
  readonly json: string
}

/**
 * Formats `nodeId`, topic and JSON on separate lines. Ids and JSON contain no line breaks, so only the topic can contain some.
 */
function formatMessage(nodeId: string, topic: string, message: JsonValue): string {
  return `${nodeId}\n${topic}\n${JSON.stringify(message)}`
}

/** Formats the notice to other nodes that messages from this node were lost. */
function formatGap(nodeId: string): string {
  return `${nodeId}\n`
}

/** Parses a text from a node. Returns null if the text does not come from a node. */
function parseMessage(text: string): ReceivedMessage | null {
  const firstBreak = text.indexOf('\n')
  const lastBreak = text.lastIndexOf('\n')
  if (firstBreak <= 0) return null
  const nodeId = text.slice(0, firstBreak)
  if (firstBreak === lastBreak) return firstBreak === text.length - 1 ? { nodeId, topic: null, json: '' } : null
  return { nodeId, topic: text.slice(firstBreak + 1, lastBreak), json: text.slice(lastBreak + 1) }
}

interface PendingMessage {
  readonly text: string
  readonly sizeBytes: number
}

/** A bounded queue of pending texts that drops the oldest texts. */
interface Outbox {
  readonly isEmpty: boolean
  /** Adds a text. Returns false if older texts were dropped. */
  add(text: string, sizeBytes: number): boolean
  /** Removes and returns the oldest texts: at least one, and at most `maxBytes`. */
  take(maxBytes: number): string[]
}

interface OutboxLimits {
  readonly maxMessages: number
  readonly maxBytes: number
}

export function createOutbox({ maxMessages, maxBytes }: OutboxLimits): Outbox {
  let pendingMessages: PendingMessage[] = []
  let totalBytes = 0

  function dropOldest(count: number): PendingMessage[] {
    const droppedMessages = pendingMessages.slice(0, count)
    pendingMessages = pendingMessages.slice(count)
    for (const { sizeBytes } of droppedMessages) totalBytes -= sizeBytes
    return droppedMessages
  }

  return {
    get isEmpty() {
      return pendingMessages.length === 0
    },
    add(text, sizeBytes) {
      pendingMessages.push({ text, sizeBytes })
      totalBytes += sizeBytes
      if (pendingMessages.length <= maxMessages && totalBytes <= maxBytes) return true
      // Drops a quarter at a time, because shifting the array for every new text would be slow.
      dropOldest(Math.max(1, Math.ceil(pendingMessages.length / 4)))
      while (totalBytes > maxBytes && pendingMessages.length > 1) dropOldest(1)
      return false
    },
    take(limitBytes) {
      let count = 0
      let sizeBytes = 0
      for (const message of pendingMessages) {
        if (count > 0 && sizeBytes + message.sizeBytes > limitBytes) break
        count += 1
        sizeBytes += message.sizeBytes
      }
      return dropOldest(count).map(({ text }) => text)
    },
  }
}
