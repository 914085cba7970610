import type { Clock } from '@parley/engine/ports'
import type { Bus } from '../../../kernel/bus.ts'
import { Hints, hintOf, readHint } from '../../../kernel/hints.ts'

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
  readonly #hints: Hints

  constructor(dependencies: TurnSignalDependencies) {
    this.#dependencies = dependencies
    this.#hints = new Hints(dependencies.clock)
    this.on('chatFree', (chatId) => this.wake('chatFree', chatId))
    this.on('turnEvents', (turnId) => this.wake('turnEvents', turnId))
  }

  /** Tells the other nodes about a chat or a turn. */
  tell(topic: Topic, id: string): void {
    const { bus, nodeId, hasOthers } = this.#dependencies
    if (hasOthers) bus.publish(TOPICS[topic], hintOf(id, nodeId))
  }

  /** Hears what other nodes tell. */
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
