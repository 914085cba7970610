import type { Database, Reader } from '../../../kernel/storage/database.ts'
import type { EmbeddingTextBuilder } from '../ingestion/ingest-job.ts'
import { type EmbeddableText, findEmbeddedHashes } from './embed-vectors.ts'

/** Maximum number of rows per query. */
const CHUNKS_PER_BATCH = 400

/** A source with searchable passages. */
interface ScannedSource {
  readonly source_id: string
  readonly generation: number
  readonly title: string
}

interface ChunkBatch {
  readonly source: ScannedSource
  readonly chunks: readonly { readonly generation: number; readonly position: number; readonly content_hash: string }[]
}

interface VectorScope {
  readonly knowledgeBaseId: string
  readonly model: string
}

/** Yields all passages of a knowledge base in batches, including hidden passages. */
export async function* scanChunks(
  { read }: { readonly read: Reader },
  knowledgeBaseId: string,
): AsyncGenerator<ChunkBatch> {
  const sources = await read
    .selectFrom('knowledge_sources')
    .select(['source_id', 'generation', 'title'])
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .orderBy('source_id')
    .execute()
  for (const source of sources) {
    let cursor = { generation: -1, position: -1 }
    for (;;) {
      const { generation, position } = cursor
      const chunks = await read
        .selectFrom('knowledge_chunks')
        .select(['generation', 'position', 'content_hash'])
        .where('source_id', '=', source.source_id)
        .where((where) =>
          where.or([
            where('generation', '>', generation),
            where.and([where('generation', '=', generation), where('position', '>', position)]),
          ]),
        )
        .orderBy('generation')
        .orderBy('position')
        .limit(CHUNKS_PER_BATCH)
        .execute()
      if (chunks.length > 0) yield { source, chunks }
      const lastChunk = chunks.at(-1)
      if (lastChunk === undefined || chunks.length < CHUNKS_PER_BATCH) break
      cursor = lastChunk
    }
  }
}

/** Finds the positions of live passages in a batch that have no vector. */
export async function findUnembeddedPositions(
  database: Pick<Database, 'read'>,
  scope: VectorScope,
  { source, chunks }: ChunkBatch,
): Promise<number[]> {
  const liveChunks = chunks.filter(({ generation }) => generation === source.generation)
  const embeddedHashes = await findEmbeddedHashes(
    database,
    scope,
    liveChunks.map(({ content_hash }) => content_hash),
  )
  return liveChunks.filter(({ content_hash }) => !embeddedHashes.has(content_hash)).map(({ position }) => position)
}

/** Reads the texts to embed for passages. */
export async function readEmbeddableTexts(
  { read }: { readonly read: Reader },
  source: ScannedSource,
  {
    positions,
    buildEmbeddingText,
  }: { readonly positions: readonly number[]; readonly buildEmbeddingText: EmbeddingTextBuilder },
): Promise<EmbeddableText[]> {
  if (positions.length === 0) return []
  const rows = await read
    .selectFrom('knowledge_chunks')
    .select(['headings', 'text', 'content_hash'])
    .where('source_id', '=', source.source_id)
    .where('generation', '=', source.generation)
    .where('position', 'in', positions)
    .execute()
  return rows.map(({ headings, text, content_hash }) => ({
    contentHash: content_hash,
    text: buildEmbeddingText(source.title, { headings: JSON.parse(headings) as string[], text }),
  }))
}
