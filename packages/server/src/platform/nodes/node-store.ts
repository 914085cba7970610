import type { BatchStatement, Database } from '../../kernel/storage/database.ts'
import type { NodeRow } from '../../tables/work-tables.ts'

/** Nodes looked at in one beat. Dead ones are forgotten, so that only the living count. */
const MOST_NODES = 1_000

/** The nodes on record, those that were silent for longest first. */
export async function readNodes({ read }: Pick<Database, 'read'>): Promise<NodeRow[]> {
  return await read.selectFrom('nodes').selectAll().orderBy('seen_at').limit(MOST_NODES).execute()
}

/** When a node was last seen; null when there is none on record. */
export async function findSeenAt({ read }: Pick<Database, 'read'>, nodeId: string): Promise<number | null> {
  const row = await read.selectFrom('nodes').select('seen_at').where('node_id', '=', nodeId).executeTakeFirst()
  return row?.seen_at ?? null
}

/** A sign of life; writes the row anew where others have removed it. */
export function writeBeat({ compile }: Pick<Database, 'compile'>, row: NodeRow): BatchStatement {
  const query = compile
    .insertInto('nodes')
    .values(row)
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ seen_at: row.seen_at }))
    .compile()
  return { query }
}

/** Forgets a node; with `seenAt` only if nothing was heard of it since. */
export function forgetNode({ compile }: Pick<Database, 'compile'>, nodeId: string, seenAt?: number): BatchStatement {
  const row = compile.deleteFrom('nodes').where('node_id', '=', nodeId)
  return { query: (seenAt === undefined ? row : row.where('seen_at', '=', seenAt)).compile() }
}
