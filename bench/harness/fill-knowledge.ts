import type { CompiledQuery } from 'kysely'
import type { BatchStatement, Database } from '../../packages/server/src/kernel/storage/database.ts'
import { type BenchSource, hashContent } from './knowledge-corpus.ts'
import { createVector, VECTOR_EMBEDDER } from './text-vectors.ts'

/** Number of statements per commit. */
const STATEMENTS_PER_COMMIT = 20
const ROWS_PER_STATEMENT = 100
/** Part size that the server uses when it reads a document. */
const PART_BYTES = 768 * 1024

/** Writes a knowledge base to workspace 1 as if its documents had been read, with a vector for each passage. */
export async function fillKnowledge(
  database: Database,
  baseId: string,
  sources: readonly BenchSource[],
): Promise<void> {
  const { queryBuilder } = database
  let pendingStatements: BatchStatement[] = []
  const flush = async (): Promise<void> => {
    if (pendingStatements.length > 0) await database.batch(pendingStatements)
    pendingStatements = []
  }
  const write = async (statement: { compile(): CompiledQuery }): Promise<void> => {
    pendingStatements.push({ query: statement.compile() })
    if (pendingStatements.length === STATEMENTS_PER_COMMIT) await flush()
  }
  await write(queryBuilder.insertInto('knowledge_bases').values(createBaseRow(baseId)))
  for (const source of sources) {
    await write(queryBuilder.insertInto('knowledge_sources').values(createSourceRow(baseId, source)))
    for (const rows of splitIntoBatches(createChunkRows(source)))
      await write(queryBuilder.insertInto('knowledge_chunks').values(rows))
    for (const row of createPartRows(source)) await write(queryBuilder.insertInto('knowledge_index_parts').values(row))
    for (const rows of splitIntoBatches(createVectorRows(baseId, source))) {
      await write(
        queryBuilder
          .insertInto('knowledge_vectors')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing()),
      )
    }
  }
  await flush()
}

function splitIntoBatches<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const count = Math.ceil(rows.length / ROWS_PER_STATEMENT)
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * ROWS_PER_STATEMENT, (index + 1) * ROWS_PER_STATEMENT),
  )
}

function createBaseRow(knowledge_base_id: string) {
  const refreshes = { auto_refresh: 0 as const, refresh_hours: 24, refreshed_at: null, refresh_due_at: null }
  const counts = { revision: 1, edit_count: 1, max_chunk_size: 2000, min_chunk_size: 400 }
  const names = { name: 'Bench', description: '', crawl: '[]', created_at: 0, updated_at: 0 }
  return { knowledge_base_id, workspace_id: 1, ...refreshes, ...counts, ...names }
}

function createSourceRow(knowledge_base_id: string, { sourceId, title, chunks }: BenchSource) {
  const contentFields = { given_content_type: null, content_type: 'text/plain', size_bytes: null, page_count: null }
  const times = { created_at: 0, updated_at: 0, refreshed_at: null, etag: null, last_modified: null }
  return {
    ...{ source_id: sourceId, knowledge_base_id, workspace_id: 1, kind: 'text', title, filename: '', url: null },
    ...{ identity: sourceId, crawl_path: null, status: 'ready', error: null, content_hash: null },
    ...{ characters: 0, chunk_count: chunks.length, generation: 1, reading_id: 'bench' },
    ...contentFields,
    ...times,
  }
}

function createChunkRows({ sourceId, chunks }: BenchSource) {
  return chunks.map((chunk) => ({
    source_id: sourceId,
    generation: 1,
    position: chunk.position,
    page: null,
    headings: JSON.stringify(chunk.headings),
    text: chunk.text,
    content_hash: hashContent(chunk),
  }))
}

function createPartRows({ sourceId, segment: bytes }: BenchSource) {
  return Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, part) => {
    const content = Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)).toString('base64')
    return { source_id: sourceId, generation: 1, part, content }
  })
}

function createVectorRows(knowledge_base_id: string, { chunks }: BenchSource) {
  return chunks.map((chunk) => ({
    knowledge_base_id,
    model: VECTOR_EMBEDDER.model,
    content_hash: hashContent(chunk),
    vector: Buffer.from(createVector(chunk.text).buffer).toString('base64'),
  }))
}
