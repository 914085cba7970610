import type { Clock, JsonValue } from '@parley/engine/ports'

/** Receives messages of a topic. Errors are logged and do not affect other handlers. */
export type BusHandler = (message: JsonValue) => void

/**
 * Events between nodes, delivered at most once to current subscribers, in order per publisher. Only a hint: durable
 * state belongs in the database.
 */
export interface Bus {
  /**
   * Never throws and never waits. Local handlers run later even when other nodes are unreachable. Messages over a
   * megabyte stay in this process and are logged.
   */
  publish(topic: string, message: JsonValue): void
  /** Returns the unsubscribe function. */
  subscribe(topic: string, handler: BusHandler): () => void
  /**
   * Calls `listener` when messages of other nodes may have been lost, so that caches can be dropped. Returns the
   * unsubscribe function.
   */
  onGap(listener: () => void): () => void
}

/** Waits for hints about changes. Hints can be lost, so waiters must also poll. */
export class Hints {
  readonly #clock: Pick<Clock, 'after'>
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  /** Resolves at the next hint for `key`, after `longestMs`, or when `signal` aborts. */
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

  /** Resumes all waiters of `key`. */
  wake(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake()
  }
}

export function createHint(id: string, nodeId: string): { readonly id: string; readonly from: string } {
  return { id, from: nodeId }
}

/** The id in a hint of another node; `null` for own and invalid messages. */
export function readHint(message: JsonValue, nodeId: string): string | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  return typeof message.id === 'string' && message.from !== nodeId ? message.id : null
}
