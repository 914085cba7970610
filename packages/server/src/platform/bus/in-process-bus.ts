import { createLocalTopics } from './local-topics.ts'
import type { NodeBus } from './node-bus.ts'

/** The bus of an installation with one node. Handlers run after the publisher's current work, as they would over a network. */
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
