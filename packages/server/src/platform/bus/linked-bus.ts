import type { Clock, JsonValue } from '@parley/engine/ports'
import { createLocalTopics, type LocalTopics } from './local-topics.ts'
import type { NodeBus } from './node-bus.ts'
import { createOutbox } from './outbox.ts'

/** What connects this node with the others. It comes back by itself after an outage. */
export interface Link {
  /** Sends the texts to all nodes, in order and in one round trip. Rejects when some may not have gone out. */
  send(texts: readonly string[]): Promise<void>
  status(): string | null
  close(): Promise<void>
}

/** What a link tells, nothing of it before it has been opened. None of these throws. */
export interface LinkEvents {
  /** Texts of all nodes, this one included, in the order in which each node sent them. */
  received(text: string): void
  /** From now on texts come and go. */
  up(): void
  down(): void
}

export interface LinkedBusOptions {
  /** Of this process alone, without line breaks. */
  readonly nodeId: string
  readonly openLink: (events: LinkEvents) => Link
  readonly clock: Pick<Clock, 'after'>
  readonly logError: (name: string, error: unknown) => void
}

/** Above this a message is not sent. */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** What waits while the others cannot be reached. */
const OUTBOX_LIMITS = { maxMessages: 10_000, maxBytes: 8 * 1024 * 1024 }
/** Of one round trip. */
const MAX_BATCH_BYTES = 256 * 1024
/** After a failure of a link that is up. */
const RETRY_MS = 1_000
/** For what waits when the bus is closed. */
const FLUSH_TIMEOUT_MS = 1_000

/**
 * A bus over a link. Local handlers hear a message at once and from here, the own echo is ignored. What is published within
 * one tick, or while a round trip is under way, goes out together. What could not be sent is told the others as a gap.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the handlers of one link share its state.
export function createLinkedBus({ nodeId, openLink, clock, logError }: LinkedBusOptions): NodeBus {
  const topics = createLocalTopics(logError)
  const outbox = createOutbox(OUTBOX_LIMITS)
  let isConnected = false
  let isClosed = false
  let isScheduled = false
  let hasLostMessages = false
  let isSending = false
  let lastSend = Promise.resolve()
  let cancelRetry = (): void => {}

  async function flushOutbox(): Promise<void> {
    isSending = true
    try {
      while (isConnected && (hasLostMessages || !outbox.isEmpty)) {
        const gap = hasLostMessages ? [writeGap(nodeId)] : []
        hasLostMessages = false
        await link.send([...gap, ...outbox.take(MAX_BATCH_BYTES)])
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
    isScheduled = false
    if (isSending || !isConnected) return
    lastSend = flushOutbox()
  }

  function enqueue(topic: string, message: JsonValue): void {
    try {
      const text = writeMessage(nodeId, topic, message)
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
    received: (text) => receive(text, nodeId, { topics, logError }),
    up() {
      if (isClosed) return
      isConnected = true
      topics.notifyGap()
      flush()
    },
    down() {
      isConnected = false
    },
  })

  return {
    publish(topic, message) {
      queueMicrotask(() => topics.deliver(topic, message))
      if (isClosed) return
      enqueue(topic, message)
      if (isScheduled || isSending || !isConnected) return
      isScheduled = true
      queueMicrotask(flush)
    },
    subscribe: topics.subscribe,
    onGap: topics.onGap,
    status: () => link.status(),
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

interface Receiver {
  readonly topics: LocalTopics
  readonly logError: LinkedBusOptions['logError']
}

function receive(text: string, nodeId: string, { topics, logError }: Receiver): void {
  const message = readMessage(text)
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

/** What travels between nodes: a message on a topic, or, without one, the word that some of the node's messages were lost. */
export interface ReadMessage {
  readonly nodeId: string
  readonly topic: string | null
  /** JSON, not parsed yet: most messages are of topics that nobody listens to here. */
  readonly json: string
}

/** `nodeId`, topic and JSON, each on its line: neither an id nor JSON holds a line break, so that a topic may. */
function writeMessage(nodeId: string, topic: string, message: JsonValue): string {
  return `${nodeId}\n${topic}\n${JSON.stringify(message)}`
}

/** Tells the other nodes that they have missed messages of this one. */
function writeGap(nodeId: string): string {
  return `${nodeId}\n`
}

/** Null for what no node wrote. */
function readMessage(text: string): ReadMessage | null {
  const first = text.indexOf('\n')
  const last = text.lastIndexOf('\n')
  if (first <= 0) return null
  const nodeId = text.slice(0, first)
  if (first === last) return first === text.length - 1 ? { nodeId, topic: null, json: '' } : null
  return { nodeId, topic: text.slice(first + 1, last), json: text.slice(last + 1) }
}
