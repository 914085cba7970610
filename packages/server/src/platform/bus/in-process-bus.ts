import type { JsonValue } from '@parley/engine/ports'
import type { Bus, BusHandler } from '../../kernel/work/bus.ts'

/** The bus of a single-node installation. Handlers run after the publisher's current work, as over a network. */
export function createInProcessBus(logError: (name: string, error: unknown) => void): NodeBus {
  const topics = createLocalTopics(logError)
  return {
    publish: (topic, message) => queueMicrotask(() => topics.deliver(topic, message)),
    subscribe: topics.subscribe,
    onGap: topics.onGap,
    status: () => null,
    close: async () => {},
  }
}

/** The subscribers of one process. */
export interface LocalTopics extends Pick<Bus, 'subscribe' | 'onGap'> {
  has(topic: string): boolean
  /** Calls the handlers of the topic; an error of one does not affect the others. */
  deliver(topic: string, message: JsonValue): void
  /** Calls the gap listeners; an error of one does not affect the others. */
  notifyGap(): void
}

export function createLocalTopics(logError: (name: string, error: unknown) => void): LocalTopics {
  const topics = new Map<string, Set<BusHandler>>()
  const gapListeners = new Set<() => void>()

  function guard(name: string, call: () => void): void {
    try {
      call()
    } catch (error) {
      logError(name, error)
    }
  }

  return {
    has: (topic) => topics.has(topic),
    deliver(topic, message) {
      for (const handler of [...(topics.get(topic) ?? [])]) guard(`bus topic ${topic}`, () => handler(message))
    },
    notifyGap() {
      for (const listener of [...gapListeners]) guard('bus gap', listener)
    },
    subscribe(topic, handler) {
      const handlers = topics.get(topic) ?? new Set()
      // Wrapped, so that the same function can subscribe twice.
      const own: BusHandler = (message) => handler(message)
      topics.set(topic, handlers.add(own))
      return () => {
        handlers.delete(own)
        if (handlers.size === 0 && topics.get(topic) === handlers) topics.delete(topic)
      }
    },
    onGap(listener) {
      const own = (): void => listener()
      gapListeners.add(own)
      return () => void gapListeners.delete(own)
    },
  }
}

/** A bus with its lifecycle. */
export interface NodeBus extends Bus {
  /** Null while other nodes can be reached; otherwise a sentence for operators, without addresses or secrets. */
  status(): string | null
  /** Sends pending messages for a moment at most and closes the connections. Local delivery continues. */
  close(): Promise<void>
}
