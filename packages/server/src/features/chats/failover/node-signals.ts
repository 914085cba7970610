import type { Clock } from '@parley/engine/ports'
import { type Bus, createHint, Hints, readHint } from '../../../kernel/work/bus.ts'

/** What nodes tell each other about turns. A message may get lost: who waits for it polls the database as well. */
const TOPICS = {
  /** A turn waits for the chat: send `chatFree` when it is free. */
  chatAwaited: 'chat.wait',
  chatFree: 'chat.free',
  /** Stop every turn of the chat. */
  chatCanceled: 'chat.cancel',
  /** The turn is followed: send `turnEvents` when there are more. */
  turnFollowed: 'turn.follow',
  turnEvents: 'turn.events',
  turnCanceled: 'turn.cancel',
} as const
type Topic = keyof typeof TOPICS

export interface NodeSignalDependencies {
  readonly bus: Bus
  readonly clock: Clock
  readonly nodeId: string
  /** False where there is one node only: then nothing is sent. */
  readonly hasOthers: boolean
}

/** Sends hints to the other nodes, receives theirs, and waits for them. */
export class NodeSignals {
  readonly #dependencies: NodeSignalDependencies
  readonly #hints: Hints

  constructor(dependencies: NodeSignalDependencies) {
    this.#dependencies = dependencies
    this.#hints = new Hints(dependencies.clock)
    this.on('chatFree', (chatId) => this.wake('chatFree', chatId))
    this.on('turnEvents', (turnId) => this.wake('turnEvents', turnId))
  }

  /** Sends the other nodes a hint about a chat or a turn. */
  emit(topic: Topic, id: string): void {
    const { bus, nodeId, hasOthers } = this.#dependencies
    if (hasOthers) bus.publish(TOPICS[topic], createHint(id, nodeId))
  }

  /** Handles the hints of other nodes. */
  on(topic: Topic, handle: (id: string) => void): void {
    const { bus, nodeId, hasOthers } = this.#dependencies
    if (!hasOthers) return
    bus.subscribe(TOPICS[topic], (message) => {
      const id = readHint(message, nodeId)
      if (id !== null) handle(id)
    })
  }

  /** As if the hint had come from another node. */
  wake(topic: Topic, id: string): void {
    this.#hints.wake(`${topic} ${id}`)
  }

  /** Resolves at the next hint, after `longestMs`, or when `signal` aborts. */
  wait(topic: Topic, id: string, limits: { longestMs: number; signal: AbortSignal }): Promise<void> {
    return this.#hints.wait(`${topic} ${id}`, limits)
  }
}
