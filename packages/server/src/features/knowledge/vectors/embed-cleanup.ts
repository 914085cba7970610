import type { Database } from '../../../kernel/storage/database.ts'
import type { KnowledgeVectorRow } from '../../../tables/knowledge-tables.ts'

const VECTORS_PER_BATCH = 400

export interface VectorsInUse {
  readonly knowledgeBaseId: string
  /** Hashes of the texts that are there. */
  readonly used: ReadonlySet<string>
  /** Vectors of other models are not needed; `null` where none is configured, so that all may be needed again. */
  readonly model: string | null
}

/** Removes the vectors that nothing needs any more, in bounded commits. */
export async function removeUnusedVectors(
  database: Pick<Database, 'read' | 'compile' | 'batch'>,
  { knowledgeBaseId, used, model }: VectorsInUse,
  signal: AbortSignal,
): Promise<void> {
  let last = { model: '', content_hash: '' }
  for (;;) {
    signal.throwIfAborted()
    const rows = await readVectorKeys(database, knowledgeBaseId, last)
    const unused = rows.filter((row) => !used.has(row.content_hash) || (model !== null && row.model !== model))
    const statements = [...Map.groupBy(unused, (row) => row.model)].map(([of, some]) => ({
      query: database.compile
        .deleteFrom('knowledge_vectors')
        .where('knowledge_base_id', '=', knowledgeBaseId)
        .where('model', '=', of)
        .where(
          'content_hash',
          'in',
          some.map(({ content_hash }) => content_hash),
        )
        .compile(),
    }))
    if (statements.length > 0) await database.batch(statements)
    const next = rows.at(-1)
    if (next === undefined || rows.length < VECTORS_PER_BATCH) return
    last = next
  }
}

type VectorKey = Pick<KnowledgeVectorRow, 'model' | 'content_hash'>

async function readVectorKeys(
  { read }: Pick<Database, 'read'>,
  knowledgeBaseId: string,
  last: VectorKey,
): Promise<VectorKey[]> {
  return await read
    .selectFrom('knowledge_vectors')
    .select(['model', 'content_hash'])
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where((where) =>
      where.or([
        where('model', '>', last.model),
        where.and([where('model', '=', last.model), where('content_hash', '>', last.content_hash)]),
      ]),
    )
    .orderBy('model')
    .orderBy('content_hash')
    .limit(VECTORS_PER_BATCH)
    .execute()
}
