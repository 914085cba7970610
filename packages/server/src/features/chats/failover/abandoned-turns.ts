import type { Clock } from '@parley/engine/ports'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Background } from '../../../kernel/work/background.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import { buildDequeueStatement } from '../turn/turn-writes.ts'
import { isOutage } from './retrying-writes.ts'

const RETRY_MS = 1000

interface AbandonedTurnDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly background: Background
  readonly nodes: { readonly nodeId: string }
}

/** Ends turns whose result could not be stored, so that their chats can continue. Retries during database outages. */
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
        for (const run of this.#turns.values()) await this.#endTurn(run)
      } catch (error) {
        if (!isOutage(error)) {
          this.#turns.clear()
          throw error
        }
        clock.after(RETRY_MS, () => this.#start())
      }
    })
  }

  async #endTurn({ chatId, turnId }: TurnRun): Promise<void> {
    const { database, clock, nodes } = this.#dependencies
    await database.batch([buildDequeueStatement(database, turnId)])
    await endAbandonedTurn(database, { chatId, turnId, nodeId: nodes.nodeId, now: clock.now() })
    this.#turns.delete(turnId)
  }
}

/** Ends a turn that this node no longer runs, so that a retry can answer its message and the chat can continue. */
export async function endAbandonedTurn(
  database: Database,
  { chatId, turnId, nodeId, now }: { chatId: string; turnId: string; nodeId: string; now: number },
): Promise<void> {
  const turnQuery = database.queryBuilder
    .updateTable('turns')
    .set({ status: 'interrupted', ended_at: now })
    .where('turn_id', '=', turnId)
    .where('node_id', '=', nodeId)
    .where('status', '=', 'running')
  const chatQuery = database.queryBuilder
    .updateTable('chats')
    .set({ active_turn_id: null })
    .where('chat_id', '=', chatId)
    .where('active_turn_id', '=', turnId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('turns').select('turn_id').where('turn_id', '=', turnId).where('status', '=', 'running'))),
    )
  await database.batch([{ query: turnQuery.compile() }, { query: chatQuery.compile() }])
}

/**
 * Marks turns that were running during a crash as interrupted. Returns their number. Call it only if a single process
 * uses the database.
 */
export async function recoverTurns(database: Database, now: number): Promise<number> {
  const { queryBuilder } = database
  const turnRows = await database.read.selectFrom('turns').select('turn_id').where('status', '=', 'running').execute()
  const waitingRows = await database.read.selectFrom('waiting_turns').select('turn_id').limit(1).execute()
  if (turnRows.length === 0 && waitingRows.length === 0) return 0
  const chatsQuery = queryBuilder
    .updateTable('chats')
    .set({ active_turn_id: null })
    .where('chat_id', 'in', (builder) => builder.selectFrom('turns').select('chat_id').where('status', '=', 'running'))
  const turnsQuery = queryBuilder
    .updateTable('turns')
    .set({ status: 'interrupted', ended_at: now })
    .where('status', '=', 'running')
  const queries = [chatsQuery, turnsQuery, queryBuilder.deleteFrom('waiting_turns')]
  await database.batch(queries.map((query) => ({ query: query.compile() })))
  return turnRows.length
}
