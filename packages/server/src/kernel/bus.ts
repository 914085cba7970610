import type { JsonValue } from '@parley/engine/ports'

/** Receives what is published on a topic. A handler that throws is logged and does not disturb the others. */
export type BusHandler = (message: JsonValue) => void

/**
 * Events between nodes: at most once, only to who is subscribed at the time, in the order of one publisher.
 * A hint, never the truth: what must not be lost stands in the database.
 */
export interface Bus {
  /**
   * Never throws and never waits. Handlers run later, also those of this process, and those whether other nodes can be
   * reached or not. More than a megabyte stays in this process and is logged.
   */
  publish(topic: string, message: JsonValue): void
  /** Calls `handler` for each message from now on; the returned function ends that. */
  subscribe(topic: string, handler: BusHandler): () => void
  /**
   * Calls `listener` when messages of other nodes may have been lost: who keeps something until a message says otherwise
   * forgets it then. Never called where there is one node only. The returned function ends that.
   */
  onGap(listener: () => void): () => void
}
