import type { JsonValue } from '@parley/engine/ports'

/** Receives what is published on a topic. A handler that throws is logged and does not disturb the others. */
export type BusHandler = (message: JsonValue) => void

/**
 * Events between nodes: at most once, only to who is subscribed at the time, in the order of one publisher.
 * A hint, never the truth: what must not be lost stands in the database.
 */
export interface Bus {
  /** Never throws and never waits. Handlers run later, also those of this process. */
  publish(topic: string, message: JsonValue): void
  /** Calls `handler` for each message from now on; the returned function ends that. */
  subscribe(topic: string, handler: BusHandler): () => void
}
