import type { JsonValue } from '@parley/engine/ports'
import type { Bus, BusHandler } from '../../kernel/work/bus.ts'

/**
 * Creates the bus of a single-node installation. Handlers run after the publisher's current work, as they would over a network.
 */
export function createInProcessBus(logError: (name: string, error: unknown) => void): NodeBus {
  const topics = createLocalTopics(logError)
  return {
    publish: (topic, message) => queueMicrotask(() => topics.deliver(topic, message)),
    subscribe: topics.subscribe,
    onGap: topics.onGap,
    getFault: () => null,
    close: async () => {},
  }
}

/** The subscribers of one process. */
export interface LocalTopics extends Pick<Bus, 'subscribe' | 'onGap'> {
  has(topic: string): boolean
  /** Calls the handlers of a topic. An error in one handler does not affect the others. */
  deliver(topic: string, message: JsonValue): void
  /** Calls the gap listeners. An error in one listener does not affect the others. */
  notifyGap(): void
}

export function createLocalTopics(logError: (name: string, error: unknown) => void): LocalTopics {
  const topics = new Map<string, Set<BusHandler>>()
  const gapListeners = new Set<() => void>()

  function callSafely(name: string, callback: () => void): void {
    try {
      callback()
    } catch (error) {
      logError(name, error)
    }
  }

  return {
    has: (topic) => topics.has(topic),
    deliver(topic, message) {
      for (const handler of [...(topics.get(topic) ?? [])]) callSafely(`bus topic ${topic}`, () => handler(message))
    },
    notifyGap() {
      for (const listener of [...gapListeners]) callSafely('bus gap', listener)
    },
    subscribe(topic, handler) {
      const handlers = topics.get(topic) ?? new Set()
      // Wrapped, so that the same function can subscribe twice.
      const wrappedHandler: BusHandler = (message) => handler(message)
      topics.set(topic, handlers.add(wrappedHandler))
      return () => {
        handlers.delete(wrappedHandler)
        if (handlers.size === 0 && topics.get(topic) === handlers) topics.delete(topic)
      }
    },
    onGap(listener) {
      const wrappedListener = (): void => listener()
      gapListeners.add(wrappedListener)
      return () => void gapListeners.delete(wrappedListener)
    },
  }
}

/** A bus with its lifecycle. */
export interface NodeBus extends Bus {
  /** Describes the outage to operators, without addresses or secrets. Returns null while other nodes can be reached. */
  getFault(): string | null
  /** Sends pending messages for at most a second, then closes the connections. Local delivery continues. */
  close(): Promise<void>
}
