import { splitIntoChunks } from '../../../kernel/storage/chunks.ts'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { IngestionDependencies } from '../ingestion/ingest-job.ts'
import type { EmbedResult } from '../knowledge-ports.ts'

const HASH_BATCH_SIZE = 400

/** A text to embed. Equal texts have equal hashes. */
export interface EmbeddableText {
  readonly contentHash: string
  readonly text: string
}

interface EmbedRequest {
  readonly knowledgeBaseId: string
  readonly texts: readonly EmbeddableText[]
  readonly signal: AbortSignal
  /** Time after which no further batch starts. */
  readonly deadlineMs: number
  readonly write: (statements: readonly BatchStatement[]) => Promise<void>
}

/**
 * The outcome of embedding. `addedCount` is the number of stored vectors. `failure` is the model's error, or null if time ran
 * out.
 */
export type EmbedOutcome =
  | { readonly complete: true; readonly addedCount: number }
  | {
      readonly complete: false
      readonly addedCount: number
      readonly failure: Extract<EmbedResult, { ok: false }> | null
    }

type EmbedDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'embedder'>

/** Embeds the texts that have no vector yet and stores the vectors in batches. */
export async function embedTexts(
  { database, clock, embedder }: EmbedDependencies,
  { knowledgeBaseId, texts, signal, deadlineMs, write }: EmbedRequest,
): Promise<EmbedOutcome> {
  if (embedder === null || texts.length === 0) return { complete: true, addedCount: 0 }
  const { model, batchSize } = embedder
  const embeddedHashes = await findEmbeddedHashes(
    database,
    { knowledgeBaseId, model },
    texts.map(({ contentHash }) => contentHash),
  )
  const missingTexts = [...new Map(texts.map((text) => [text.contentHash, text])).values()].filter(
    ({ contentHash }) => !embeddedHashes.has(contentHash),
  )
  let addedCount = 0
  for (const batch of splitIntoChunks(missingTexts, batchSize)) {
    signal.throwIfAborted()
    if (clock.now() >= deadlineMs) return { complete: false, addedCount, failure: null }
    const result = await embedder.embed(
      batch.map(({ text }) => text),
      signal,
    )
    signal.throwIfAborted()
    if (!result.ok) return { complete: false, addedCount, failure: result }
    const rows = batch.flatMap(({ contentHash }, index) => {
      const vector = result.vectors[index]
      if (vector === undefined) return []
      return [{ knowledge_base_id: knowledgeBaseId, model, content_hash: contentHash, vector: encodeVector(vector) }]
    })
    const query = database.queryBuilder
      .insertInto('knowledge_vectors')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
    await write([{ query: query.compile() }])
    addedCount += rows.length
  }
  return { complete: true, addedCount }
}

/** Returns the hashes of texts that the model has already embedded. */
export async function findEmbeddedHashes(
  { read }: Pick<Database, 'read'>,
  { knowledgeBaseId, model }: { readonly knowledgeBaseId: string; readonly model: string },
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const embeddedHashes = new Set<string>()
  for (const batch of splitIntoChunks(hashes, HASH_BATCH_SIZE)) {
    const rows = await read
      .selectFrom('knowledge_vectors')
      .select('content_hash')
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .where('model', '=', model)
      .where('content_hash', 'in', batch)
      .execute()
    for (const { content_hash } of rows) embeddedHashes.add(content_hash)
  }
  return embeddedHashes
}

/** Whether the knowledge base has any vectors. */
export async function hasVectors({ read }: Pick<Database, 'read'>, knowledgeBaseId: string): Promise<boolean> {
  const row = await read
    .selectFrom('knowledge_vectors')
    .select('model')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Encodes a vector as base64 of 32-bit little-endian floats. */
function encodeVector(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT)
  return bytes.toString('base64')
}
