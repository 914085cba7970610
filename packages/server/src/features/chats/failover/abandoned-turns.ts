import type { Clock } from '@parley/engine/ports'
import type { Background } from '../../../kernel/background.ts'
import type { Database } from '../../../kernel/database.ts'
import { freeChat } from '../queue/turn-queue.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import { leaveLine } from '../turn/turn-writes.ts'
import { isOutage } from './patient-writes.ts'

const RETRY_MS = 1000

export interface LeftTurnDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly background: Background
  readonly nodes: { readonly nodeId: string }
}

/** Turns whose end could not be stored: they are given up as soon as the database is back, so that their chats go on. */
export class LeftTurns {
  readonly #dependencies: LeftTurnDependencies
  readonly #left = new Map<string, TurnRun>()

  constructor(dependencies: LeftTurnDependencies) {
    this.#dependencies = dependencies
  }

  add(run: TurnRun): void {
    this.#left.set(run.turnId, run)
    if (this.#left.size === 1) this.#start()
  }

  #start(): void {
    const { background, clock } = this.#dependencies
    background.run('left turns', async () => {
      try {
        for (const run of this.#left.values()) await this.#free(run)
      } catch (error) {
        if (!isOutage(error)) {
          this.#left.clear()
          throw error
        }
        clock.after(RETRY_MS, () => this.#start())
      }
    })
  }

  async #free({ chatId, turnId }: TurnRun): Promise<void> {
    const { database, clock, nodes } = this.#dependencies
    await database.batch([leaveLine(database, turnId)])
    await freeChat(database, { chatId, turnId, nodeId: nodes.nodeId }, clock)
    this.#left.delete(turnId)
  }
}
