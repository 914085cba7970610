import type { Clock } from '@parley/engine/ports'
import { type Bus, createHint, Hints, readHint } from '../../../kernel/work/bus.ts'

/** Topics of hints between nodes about turns. Hints may get lost, so receivers also poll the database. */
const TOPICS = {
  /** Announces that a turn is waiting for the chat. Other nodes respond with `chatFree` when the chat is free. */
  chatAwaited: 'chat.wait',
  chatFree: 'chat.free',
  /** Requests that every turn of the chat stop. */
  chatCanceled: 'chat.cancel',
  /** Announces that a node follows the turn. The turn's node responds with `turnEvents` when there are new events. */
  turnFollowed: 'turn.follow',
  turnEvents: 'turn.events',
  turnCanceled: 'turn.cancel',
} as const
type Topic = keyof typeof TOPICS

interface NodeSignalDependencies {
  readonly bus: Bus
  readonly clock: Clock
  readonly nodeId: string
  /** Whether other nodes may exist. If false, no hints are sent or received. */
  readonly hasPeers: boolean
}

/** Sends hints to other nodes, receives their hints and waits for them. */
export class NodeSignals {
  readonly #dependencies: NodeSignalDependencies
  readonly #hints: Hints

  constructor(dependencies: NodeSignalDependencies) {
    this.#dependencies = dependencies
    this.#hints = new Hints(dependencies.clock)
    this.on('chatFree', (chatId) => this.wake('chatFree', chatId))
    this.on('turnEvents', (turnId) => this.wake('turnEvents', turnId))
  }

  /** Sends a hint about a chat or turn to other nodes. */
  emit(topic: Topic, id: string): void {
    const { bus, nodeId, hasPeers } = this.#dependencies
    if (hasPeers) bus.publish(TOPICS[topic], createHint(id, nodeId))
  }

  /** Registers a handler for hints from other nodes. */
  on(topic: Topic, handler: (id: string) => void): void {
    const { bus, nodeId, hasPeers } = this.#dependencies
    if (!hasPeers) return
    bus.subscribe(TOPICS[topic], (message) => {
      const id = readHint(message, nodeId)
      if (id !== null) handler(id)
    })
  }

  /** Wakes local waiters, as a hint from another node would. */
  wake(topic: Topic, id: string): void {
    this.#hints.wakeAll(`${topic} ${id}`)
  }

  /** Resolves at the next hint, after `maxWaitMs`, or when `signal` aborts. */
  wait(topic: Topic, id: string, options: { maxWaitMs: number; signal: AbortSignal }): Promise<void> {
    return this.#hints.wait(`${topic} ${id}`, options)
  }
}
