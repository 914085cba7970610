import type { JsonValue } from '@parley/engine/ports'
import type { Bus, BusHandler } from '../../kernel/work/bus.ts'

/** The subscribers of one process. */
export interface LocalTopics extends Pick<Bus, 'subscribe' | 'onGap'> {
  has(topic: string): boolean
  /** Calls the handlers of the topic now, each guarded from the failures of the others. */
  deliver(topic: string, message: JsonValue): void
  /** Calls who listens for gaps, guarded likewise. */
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
      // A wrapper of its own, so that the same function can subscribe twice.
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
