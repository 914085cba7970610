import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { PreparedChunk, PreparedDocument } from '../knowledge-ports.ts'
import { type Claim, writeClaimed } from './ingest-claim.ts'

/** Maximum number of chunks per commit, so that other writes do not wait long. */
const CHUNK_BATCH_SIZE = 100
const MAX_BATCH_CHARACTERS = 150_000
const REMOVE_BATCH_SIZE = 200
/** Encodes to 1 MiB of base64. */
const PART_BYTES = 768 * 1024
const PART_REMOVE_BATCH_SIZE = 4

type Writer = Pick<Database, 'read' | 'queryBuilder' | 'batch'>

/** Returns the generation that an attempt writes. Searches ignore it until the attempt completes. */
export function getNextGeneration({ source }: Pick<Claim, 'source'>): number {
  return source.generation + 1
}

/** Writes the chunks and the index of the next generation in small commits. */
export async function stageGeneration(
  database: Writer,
  claim: Claim,
  { chunks, segment }: Pick<PreparedDocument, 'chunks' | 'segment'>,
  signal: AbortSignal,
): Promise<void> {
  for (const chunkBatch of splitIntoBatches(chunks)) {
    signal.throwIfAborted()
    await writeClaimed(database, claim, [buildChunkInsert(database, claim, chunkBatch)])
  }
  for (let from = 0, part = 0; from < segment.length; from += PART_BYTES, part += 1) {
    signal.throwIfAborted()
    const bytes = segment.subarray(from, from + PART_BYTES)
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
    const values = { source_id: claim.source.source_id, generation: getNextGeneration(claim), part, content }
    const query = database.queryBuilder.insertInto('knowledge_index_parts').values(values)
    await writeClaimed(database, claim, [{ query: query.compile() }])
  }
}

function* splitIntoBatches(chunks: readonly PreparedChunk[]): Generator<readonly PreparedChunk[]> {
  let from = 0
  let characterCount = 0
  for (const [index, chunk] of chunks.entries()) {
    characterCount += chunk.text.length
    if (index > from && (index - from >= CHUNK_BATCH_SIZE || characterCount > MAX_BATCH_CHARACTERS)) {
      yield chunks.slice(from, index)
      from = index
      characterCount = chunk.text.length
    }
  }
  if (from < chunks.length) yield chunks.slice(from)
}

function buildChunkInsert(database: Writer, claim: Claim, chunks: readonly PreparedChunk[]): BatchStatement {
  const key = { source_id: claim.source.source_id, generation: getNextGeneration(claim) }
  const rows = chunks.map(({ position, page, headings, text, contentHash }) => ({
    ...key,
    position,
    page,
    headings: JSON.stringify(headings),
    text,
    content_hash: contentHash,
  }))
  return { query: database.queryBuilder.insertInto('knowledge_chunks').values(rows).compile() }
}

/** Removes all generations except the live one in small commits. Returns whether it removed any chunks. */
export async function removeOtherGenerations(
  database: Writer,
  claim: Pick<Claim, 'source' | 'token'>,
  liveGeneration: number,
): Promise<boolean> {
  const hadChunks = await removeOtherChunks(database, claim, liveGeneration)
  for (;;) {
    const parts = await database.read
      .selectFrom('knowledge_index_parts')
      .select(['generation', 'part'])
      .where('source_id', '=', claim.source.source_id)
      .where('generation', '<>', liveGeneration)
      .orderBy('generation')
      .orderBy('part')
      .limit(PART_REMOVE_BATCH_SIZE)
      .execute()
    if (parts.length === 0) return hadChunks
    const statements = parts.map(({ generation, part }) => ({
      query: database.queryBuilder
        .deleteFrom('knowledge_index_parts')
        .where('source_id', '=', claim.source.source_id)
        .where('generation', '=', generation)
        .where('part', '=', part)
        .compile(),
    }))
    await writeClaimed(database, claim, statements)
  }
}

async function removeOtherChunks(
  database: Writer,
  claim: Pick<Claim, 'source' | 'token'>,
  liveGeneration: number,
): Promise<boolean> {
  for (let hasRemovedChunks = false; ; hasRemovedChunks = true) {
    const rows = await database.read
      .selectFrom('knowledge_chunks')
      .select(['generation', 'position'])
      .where('source_id', '=', claim.source.source_id)
      .where('generation', '<>', liveGeneration)
      .orderBy('generation')
      .orderBy('position')
      .limit(REMOVE_BATCH_SIZE)
      .execute()
    if (rows.length === 0) return hasRemovedChunks
    const generations = Map.groupBy(rows, ({ generation }) => generation)
    const statements = [...generations].map(([generation, chunkBatch]) => ({
      query: database.queryBuilder
        .deleteFrom('knowledge_chunks')
        .where('source_id', '=', claim.source.source_id)
        .where('generation', '=', generation)
        .where('position', '<=', chunkBatch.at(-1)?.position ?? -1)
        .compile(),
    }))
    await writeClaimed(database, claim, statements)
  }
}

/** Removes the original content of a source after the source was read. */
export async function removeOriginal(database: Writer, claim: Pick<Claim, 'source' | 'token'>): Promise<void> {
  for (;;) {
    const parts = await database.read
      .selectFrom('knowledge_originals')
      .select('part')
      .where('source_id', '=', claim.source.source_id)
      .orderBy('part')
      .limit(PART_REMOVE_BATCH_SIZE)
      .execute()
    if (parts.length === 0) return
    const query = database.queryBuilder
      .deleteFrom('knowledge_originals')
      .where('source_id', '=', claim.source.source_id)
      .where('part', '<=', parts.at(-1)?.part ?? -1)
    await writeClaimed(database, claim, [{ query: query.compile() }])
  }
}
