import type { PreparedDocument } from '../knowledge-ports.ts'
import type { Claim } from './ingest-claim.ts'
import type { IngestionDependencies } from './ingest-ports.ts'

const CHUNKS_AT_ONCE = 500

/** Pages differ from fetch to fetch in what nobody reads: what can be found may still be the same. */
export async function isSameText(
  { database }: Pick<IngestionDependencies, 'database'>,
  { source }: Claim,
  { chunks }: Pick<PreparedDocument, 'chunks'>,
): Promise<boolean> {
  if (source.generation === 0 || source.chunk_count !== chunks.length) return false
  for (let from = 0; from < chunks.length; from += CHUNKS_AT_ONCE) {
    const some = chunks.slice(from, from + CHUNKS_AT_ONCE)
    const rows = await database.read
      .selectFrom('knowledge_chunks')
      .select(['position', 'page', 'content_hash'])
      .where('source_id', '=', source.source_id)
      .where('generation', '=', source.generation)
      .where('position', '>=', some[0]?.position ?? 0)
      .orderBy('position')
      .limit(some.length)
      .execute()
    const isSame = some.every((chunk, index) => {
      const row = rows[index]
      return row?.position === chunk.position && row.page === chunk.page && row.content_hash === chunk.contentHash
    })
    if (!isSame) return false
  }
  return true
}
