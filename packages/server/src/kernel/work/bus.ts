import type { Clock, JsonValue } from '@parley/engine/ports'

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

/** Waiting for hints that there is something new; one may get lost, so that whoever waits looks for itself as well. */
export class Hints {
  readonly #clock: Pick<Clock, 'after'>
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  /** Resolves at the next hint about `key`, after `longestMs`, or when `signal` aborts. */
  wait(key: string, { longestMs, signal }: { longestMs: number; signal: AbortSignal }): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(key) ?? new Set()
      const finish = (): void => {
        cancel()
        signal.removeEventListener('abort', finish)
        waiters.delete(finish)
        if (waiters.size === 0) this.#waiting.delete(key)
        resolve()
      }
      const cancel = this.#clock.after(longestMs, finish)
      signal.addEventListener('abort', finish, { once: true })
      this.#waiting.set(key, waiters.add(finish))
    })
  }

  /** Everybody who waits for `key` goes on. */
  wake(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake()
  }
}

/** What a node tells the others about one thing. */
export function createHint(id: string, nodeId: string): { readonly id: string; readonly from: string } {
  return { id, from: nodeId }
}

/** What another node gave a hint about; `null` for what this node said itself and for what is no hint. */
export function readHint(message: JsonValue, nodeId: string): string | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  return typeof message.id === 'string' && message.from !== nodeId ? message.id : null
}
