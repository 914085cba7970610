import type { Clock, JsonValue } from '@parley/engine/ports'
import type { Bus } from '../../kernel/bus.ts'

/** What nodes tell each other of turns. All of it may get lost: whoever waits for it looks into the database as well. */
const TOPICS = {
  /** Somebody waits for the chat: say so when it is free. */
  chatAwaited: 'chat.wait',
  chatFree: 'chat.free',
  /** Stop every turn of the chat. */
  chatCancelled: 'chat.cancel',
  /** Somebody follows the turn: say so when there is more of it. */
  turnFollowed: 'turn.follow',
  turnEvents: 'turn.events',
  turnCancelled: 'turn.cancel',
} as const
type Topic = keyof typeof TOPICS

export interface TurnSignalDependencies {
  readonly bus: Bus
  readonly clock: Clock
  readonly nodeId: string
  /** False where there is one node only: then nothing is said. */
  readonly hasOthers: boolean
}

/** Hears and gives the hints between nodes, and waits for them. */
export class TurnSignals {
  readonly #dependencies: TurnSignalDependencies
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(dependencies: TurnSignalDependencies) {
    this.#dependencies = dependencies
    this.on('chatFree', (chatId) => this.wake('chatFree', chatId))
    this.on('turnEvents', (turnId) => this.wake('turnEvents', turnId))
  }

  /** Tells the other nodes about a chat or a turn. */
  tell(topic: Topic, id: string): void {
    const { bus, nodeId, hasOthers } = this.#dependencies
    if (hasOthers) bus.publish(TOPICS[topic], { id, from: nodeId })
  }

  /** Hears what other nodes tell. */
  on(topic: Topic, handle: (id: string) => void): void {
    const { bus, nodeId, hasOthers } = this.#dependencies
    if (!hasOthers) return
    bus.subscribe(TOPICS[topic], (message) => {
      const id = readId(message, nodeId)
      if (id !== null) handle(id)
    })
  }

  /** As if the hint had come from another node. */
  wake(topic: Topic, id: string): void {
    for (const wake of this.#waiting.get(`${topic} ${id}`) ?? []) wake()
  }

  /** Resolves at the next hint, after `longestMs`, or when `signal` aborts. */
  wait(topic: Topic, id: string, limits: { longestMs: number; signal: AbortSignal }): Promise<void> {
    const { longestMs, signal } = limits
    if (signal.aborted) return Promise.resolve()
    const key = `${topic} ${id}`
    return new Promise((resolve) => {
      const wakers = this.#waiting.get(key) ?? new Set()
      const finish = (): void => {
        cancel()
        signal.removeEventListener('abort', finish)
        wakers.delete(finish)
        if (wakers.size === 0) this.#waiting.delete(key)
        resolve()
      }
      const cancel = this.#dependencies.clock.after(longestMs, finish)
      signal.addEventListener('abort', finish, { once: true })
      this.#waiting.set(key, wakers.add(finish))
    })
  }
}

/** The id that another node tells of; `null` for what this node said itself and for what is no message of ours. */
function readId(message: JsonValue, nodeId: string): string | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  return typeof message.id === 'string' && message.from !== nodeId ? message.id : null
}
