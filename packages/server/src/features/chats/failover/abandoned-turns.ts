import type { Clock } from '@parley/engine/ports'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Background } from '../../../kernel/work/background.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import { leaveQueue } from '../turn/turn-writes.ts'
import { isOutage } from './retrying-writes.ts'

const RETRY_MS = 1000

export interface AbandonedTurnDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly background: Background
  readonly nodes: { readonly nodeId: string }
}

/** Turns whose end could not be stored: they are given up as soon as the database is back, so that their chats go on. */
export class AbandonedTurns {
  readonly #dependencies: AbandonedTurnDependencies
  readonly #turns = new Map<string, TurnRun>()

  constructor(dependencies: AbandonedTurnDependencies) {
    this.#dependencies = dependencies
  }

  add(run: TurnRun): void {
    this.#turns.set(run.turnId, run)
    if (this.#turns.size === 1) this.#start()
  }

  #start(): void {
    const { background, clock } = this.#dependencies
    background.run('abandoned turns', async () => {
      try {
        for (const run of this.#turns.values()) await this.#free(run)
      } catch (error) {
        if (!isOutage(error)) {
          this.#turns.clear()
          throw error
        }
        clock.after(RETRY_MS, () => this.#start())
      }
    })
  }

  async #free({ chatId, turnId }: TurnRun): Promise<void> {
    const { database, clock, nodes } = this.#dependencies
    await database.batch([leaveQueue(database, turnId)])
    await freeChat(database, { chatId, turnId, nodeId: nodes.nodeId, now: clock.now() })
    this.#turns.delete(turnId)
  }
}

/** Gives up a turn that this node does not run any more: a retry can answer its message, and the chat goes on. */
export async function freeChat(
  database: Database,
  { chatId, turnId, nodeId, now }: { chatId: string; turnId: string; nodeId: string; now: number },
): Promise<void> {
  const turn = database.compile
    .updateTable('turns')
    .set({ status: 'interrupted', ended_at: now })
    .where('turn_id', '=', turnId)
    .where('node_id', '=', nodeId)
    .where('status', '=', 'running')
  const chat = database.compile
    .updateTable('chats')
    .set({ active_turn_id: null })
    .where('chat_id', '=', chatId)
    .where('active_turn_id', '=', turnId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('turns').select('turn_id').where('turn_id', '=', turnId).where('status', '=', 'running'))),
    )
  await database.batch([{ query: turn.compile() }, { query: chat.compile() }])
}

/**
 * For the only process of a database: turns that were running when it died are marked as interrupted, and their chats are
 * free. Their user's message stays and is answered when the client tries again. Returns how many there were.
 */
export async function recoverTurns(database: Database, now: number): Promise<number> {
  const { compile } = database
  const running = await database.read.selectFrom('turns').select('turn_id').where('status', '=', 'running').execute()
  const waiting = await database.read.selectFrom('waiting_turns').select('turn_id').limit(1).execute()
  if (running.length === 0 && waiting.length === 0) return 0
  const chats = compile
    .updateTable('chats')
    .set({ active_turn_id: null })
    .where('chat_id', 'in', (turns) => turns.selectFrom('turns').select('chat_id').where('status', '=', 'running'))
  const turns = compile
    .updateTable('turns')
    .set({ status: 'interrupted', ended_at: now })
    .where('status', '=', 'running')
  const queries = [chats, turns, compile.deleteFrom('waiting_turns')]
  await database.batch(queries.map((query) => ({ query: query.compile() })))
  return running.length
}
