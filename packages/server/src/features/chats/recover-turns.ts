import type { Database } from '../../kernel/database.ts'

/**
 * Turns that were running when the process died are marked as interrupted: their user's message stays and is answered when
 * the client tries again. Returns how many there were.
 */
export async function recoverTurns(database: Database, now: number): Promise<number> {
  const running = await database.read.selectFrom('turns').select('turn_id').where('status', '=', 'running').execute()
  if (running.length === 0) return 0
  const query = database.compile
    .updateTable('turns')
    .set({ status: 'interrupted', ended_at: now })
    .where('status', '=', 'running')
  await database.batch([{ query: query.compile() }])
  return running.length
}
