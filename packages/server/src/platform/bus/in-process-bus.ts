import type { Bus, BusHandler } from '../../kernel/bus.ts'

/** The bus of an installation with one node. Handlers run after the publisher's current work, as they would over a network. */
export function createInProcessBus(logError: (name: string, error: unknown) => void): Bus {
  const topics = new Map<string, Set<BusHandler>>()
  return {
    publish(topic, message) {
      queueMicrotask(() => {
        for (const handler of [...(topics.get(topic) ?? [])]) {
          try {
            handler(message)
          } catch (error) {
            logError(`bus topic ${topic}`, error)
          }
        }
      })
    },
    subscribe(topic, handler) {
      const handlers = topics.get(topic) ?? new Set()
      // A wrapper of its own, so that the same function can subscribe twice.
      const own: BusHandler = (message) => handler(message)
      topics.set(topic, handlers.add(own))
      return () => {
        handlers.delete(own)
        if (handlers.size === 0 && topics.get(topic) === handlers) topics.delete(topic)
      }
    },
  }
}
