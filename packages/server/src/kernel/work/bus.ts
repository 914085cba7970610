import type { Clock, JsonValue } from '@parley/engine/ports'

/** Handles the messages of a topic. Errors are logged and do not affect other handlers. */
export type BusHandler = (message: JsonValue) => void

/**
 * Event bus between nodes. Delivers each event at most once to current subscribers, in order per publisher. Events are only
 * hints: durable state belongs in the database.
 */
export interface Bus {
  /**
   * Publishes a message. Never throws or waits. Local handlers run later, even if other nodes are unreachable. Messages over 1
   * MB stay in this process and are logged.
   */
  publish(topic: string, message: JsonValue): void
  /** Subscribes to a topic. Returns the unsubscribe function. */
  subscribe(topic: string, handler: BusHandler): () => void
  /**
   * Calls `listener` if messages from other nodes may have been lost, so that caches can be dropped. Returns the unsubscribe
   * function.
   */
  onGap(listener: () => void): () => void
}

/** Lets callers wait for hints about changes. Hints can be lost, so waiters must also poll. */
export class Hints {
  readonly #clock: Pick<Clock, 'after'>
  readonly #waiters = new Map<string, Set<() => void>>()

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  /** Resolves at the next hint for `key`, after `maxWaitMs`, or when `signal` aborts. */
  wait(key: string, { maxWaitMs, signal }: { maxWaitMs: number; signal: AbortSignal }): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const keyWaiters = this.#waiters.get(key) ?? new Set()
      const finish = (): void => {
        cancel()
        signal.removeEventListener('abort', finish)
        keyWaiters.delete(finish)
        if (keyWaiters.size === 0) this.#waiters.delete(key)
        resolve()
      }
      const cancel = this.#clock.after(maxWaitMs, finish)
      signal.addEventListener('abort', finish, { once: true })
      this.#waiters.set(key, keyWaiters.add(finish))
    })
  }

  /** Resumes all waiters of `key`. */
  wakeAll(key: string): void {
    for (const wakeWaiter of this.#waiters.get(key) ?? []) wakeWaiter()
  }
}

export function createHint(id: string, nodeId: string): { readonly id: string; readonly from: string } {
  return { id, from: nodeId }
}

/** Returns the id in a hint from another node, or null for this node's own hints and invalid messages. */
export function readHint(message: JsonValue, nodeId: string): string | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  return typeof message.id === 'string' && message.from !== nodeId ? message.id : null
}
