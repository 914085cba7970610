import type { Database } from '../../../kernel/database.ts'

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
