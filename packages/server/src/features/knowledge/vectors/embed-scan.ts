import type { Database, Reader } from '../../../kernel/storage/database.ts'
import type { EmbeddedText } from '../ingestion/ingest-ports.ts'
import { type EmbeddableText, findEmbedded } from './embed-vectors.ts'

/** Rows of one look, so that none takes long. */
const CHUNKS_PER_BATCH = 400

/** A source whose passages can be found. */
export interface ScannedSource {
  readonly source_id: string
  readonly generation: number
  readonly title: string
}

/** Passages of one look. */
export interface ChunkWindow {
  readonly source: ScannedSource
  readonly chunks: readonly { readonly generation: number; readonly position: number; readonly content_hash: string }[]
}

export interface VectorsOf {
  readonly knowledgeBaseId: string
  readonly model: string
}

/** Goes over all passages of a knowledge base, those on their way in or out included, a bounded number at a time. */
export async function* scanChunks(
  { read }: { readonly read: Reader },
  knowledgeBaseId: string,
): AsyncGenerator<ChunkWindow> {
  const sources = await read
    .selectFrom('knowledge_sources')
    .select(['source_id', 'generation', 'title'])
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .orderBy('source_id')
    .execute()
  for (const source of sources) {
    let last = { generation: -1, position: -1 }
    for (;;) {
      const { generation, position } = last
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
      const next = chunks.at(-1)
      if (next === undefined || chunks.length < CHUNKS_PER_BATCH) break
      last = next
    }
  }
}

/** Positions of the live passages of a window that have no vector. */
export async function findUnembedded(
  database: Pick<Database, 'read'>,
  vectors: VectorsOf,
  { source, chunks }: ChunkWindow,
): Promise<number[]> {
  const live = chunks.filter(({ generation }) => generation === source.generation)
  const known = await findEmbedded(
    database,
    vectors,
    live.map(({ content_hash }) => content_hash),
  )
  return live.filter(({ content_hash }) => !known.has(content_hash)).map(({ position }) => position)
}

/** What is embedded of those passages. */
export async function readTexts(
  { read }: { readonly read: Reader },
  source: ScannedSource,
  { positions, embeddedText }: { readonly positions: readonly number[]; readonly embeddedText: EmbeddedText },
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
    text: embeddedText(source.title, { headings: JSON.parse(headings) as string[], text }),
  }))
}
