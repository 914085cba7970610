import type { MakeId } from '@parley/engine/ports'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import type { RequestedSource } from './read-sources.ts'

/** Status of a hidden source whose content is being written. */
export const STAGED = 'staged'
/** Bytes per part. A multiple of three, so that base64 needs no padding between parts. */
export const PART_BYTES = 768 * 1024

interface StagingContext {
  readonly database: Pick<Database, 'batch' | 'queryBuilder'>
  readonly makeId: MakeId
  readonly now: number
}

/** The knowledge base that the sources belong to. */
export interface BaseKey {
  readonly id: string
  readonly workspaceId: number
}

/**
 * Writes hidden content in small batches, so that large files do not block other writes. Adds the source ids to `stagedIds`.
 */
export async function stageContent(
  { database, makeId, now }: StagingContext,
  base: BaseKey,
  sources: readonly RequestedSource[],
  stagedIds: Map<string, string>,
): Promise<void> {
  const { queryBuilder } = database
  let pendingStatements: BatchStatement[] = []
  let pendingBytes = 0
  const flush = async () => {
    const batch = pendingStatements
    pendingStatements = []
    pendingBytes = 0
    await database.batch(batch)
  }
  for (const source of sources) {
    if (source.content === null || stagedIds.has(source.identity)) continue
    const sourceId = makeId('source')
    stagedIds.set(source.identity, sourceId)
    const row = { ...buildSourceRow(base, source, { sourceId, runId: sourceId, now }), ...buildStagedColumns(sourceId) }
    pendingStatements.push({ query: queryBuilder.insertInto('knowledge_sources').values(row).compile() })
    let part = 0
    for await (const bytes of splitIntoParts(source.content.open())) {
      const values = { source_id: sourceId, part, content: bytes.toString('base64') }
      pendingStatements.push({ query: queryBuilder.insertInto('knowledge_originals').values(values).compile() })
      part += 1
      pendingBytes += bytes.length
      if (pendingBytes >= PART_BYTES) await flush()
    }
  }
  await flush()
}

const buildStagedColumns = (sourceId: string) => ({ status: STAGED, identity: `${STAGED}:${sourceId}` })

type RequiredColumns = 'source_id' | 'knowledge_base_id' | 'workspace_id' | 'kind' | 'identity' | 'reading_id'

/** Builds the row of a source that was never read. */
export function buildUnreadSource(
  columns: Pick<KnowledgeSourceRow, RequiredColumns> & Partial<KnowledgeSourceRow>,
  now: number,
): KnowledgeSourceRow {
  return {
    title: '',
    filename: '',
    url: null,
    given_content_type: null,
    content_type: null,
    crawl_path: null,
    status: 'processing',
    error: null,
    size_bytes: null,
    characters: 0,
    page_count: null,
    chunk_count: 0,
    content_hash: null,
    etag: null,
    last_modified: null,
    generation: 0,
    created_at: now,
    updated_at: now,
    refreshed_at: null,
    ...columns,
  }
}

export function buildSourceRow(
  base: BaseKey,
  source: RequestedSource,
  { sourceId, runId, now }: { readonly sourceId: string; readonly runId: string; readonly now: number },
): KnowledgeSourceRow {
  const { kind, title, filename, url, identity } = source
  const ids = { source_id: sourceId, knowledge_base_id: base.id, workspace_id: base.workspaceId, reading_id: runId }
  const givenColumns = { given_content_type: source.givenContentType, size_bytes: source.content?.sizeBytes ?? null }
  return buildUnreadSource({ ...ids, kind, title, filename, url, identity, ...givenColumns }, now)
}

/** Splits bytes into parts of `PART_BYTES`. The last part may be shorter. */
export async function* splitIntoParts(content: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let bufferedChunks: Uint8Array[] = []
  let bufferedBytes = 0
  for await (let bytes of content) {
    while (bufferedBytes + bytes.length >= PART_BYTES) {
      const remainingBytes = PART_BYTES - bufferedBytes
      yield Buffer.concat([...bufferedChunks, bytes.subarray(0, remainingBytes)])
      bufferedChunks = []
      bufferedBytes = 0
      bytes = bytes.subarray(remainingBytes)
    }
    // Copies the bytes, because the sender may reuse its buffer.
    if (bytes.length > 0) bufferedChunks.push(Uint8Array.from(bytes))
    bufferedBytes += bytes.length
  }
  if (bufferedBytes > 0) yield Buffer.concat(bufferedChunks)
}
