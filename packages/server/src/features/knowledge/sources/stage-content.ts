import type { MakeId } from '@parley/engine/ports'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import type { RequestedSource } from './read-sources.ts'

/** A source whose content is on its way in. It is taken over or, when that did not happen for long, removed. */
export const STAGED = 'staged'
/** Bytes of one part; a multiple of three, so that its base64 stands without padding beside the next. */
export const PART_BYTES = 768 * 1024

export interface Staging {
  readonly database: Pick<Database, 'batch' | 'compile'>
  readonly makeId: MakeId
  readonly now: number
}

/** The knowledge base that sources are added to. */
export interface BaseKey {
  readonly id: string
  readonly workspaceId: number
}

/**
 * Writes the content of sources in small commits of their own, so that no other write waits for a large file, behind rows that
 * nobody sees. Answers their ids by identity.
 */
export async function stageContent(
  { database, makeId, now }: Staging,
  base: BaseKey,
  requested: readonly RequestedSource[],
  staged: Map<string, string>,
): Promise<void> {
  const { compile } = database
  let pendingStatements: BatchStatement[] = []
  let pendingBytes = 0
  const flush = async () => {
    const batch = pendingStatements
    pendingStatements = []
    pendingBytes = 0
    await database.batch(batch)
  }
  for (const source of requested) {
    if (source.content === null || staged.has(source.identity)) continue
    const sourceId = makeId('source')
    staged.set(source.identity, sourceId)
    const row = { ...newSourceRow(base, source, { sourceId, readingId: sourceId, now }), ...hidden(sourceId) }
    pendingStatements.push({ query: compile.insertInto('knowledge_sources').values(row).compile() })
    let part = 0
    for await (const bytes of inParts(source.content.open())) {
      const values = { source_id: sourceId, part, content: bytes.toString('base64') }
      pendingStatements.push({ query: compile.insertInto('knowledge_originals').values(values).compile() })
      part += 1
      pendingBytes += bytes.length
      if (pendingBytes >= PART_BYTES) await flush()
    }
  }
  await flush()
}

const hidden = (sourceId: string) => ({ status: STAGED, identity: `${STAGED}:${sourceId}` })

/** A source that was never read. */
export function newSourceRow(
  base: BaseKey,
  source: RequestedSource,
  { sourceId, readingId, now }: { readonly sourceId: string; readonly readingId: string; readonly now: number },
): KnowledgeSourceRow {
  return {
    source_id: sourceId,
    knowledge_base_id: base.id,
    workspace_id: base.workspaceId,
    kind: source.kind,
    title: source.title,
    filename: source.filename,
    url: source.url,
    given_content_type: source.givenContentType,
    content_type: null,
    identity: source.identity,
    crawl_path: null,
    status: 'processing',
    error: null,
    size_bytes: source.content?.sizeBytes ?? null,
    characters: 0,
    page_count: null,
    chunk_count: 0,
    content_hash: null,
    etag: null,
    last_modified: null,
    generation: 0,
    reading_id: readingId,
    created_at: now,
    updated_at: now,
    refreshed_at: null,
  }
}

/** The same bytes in parts of `PART_BYTES`, the last one shorter. */
export async function* inParts(content: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let buffered: Uint8Array[] = []
  let bufferedBytes = 0
  for await (let bytes of content) {
    while (bufferedBytes + bytes.length >= PART_BYTES) {
      const freeBytes = PART_BYTES - bufferedBytes
      yield Buffer.concat([...buffered, bytes.subarray(0, freeBytes)])
      buffered = []
      bufferedBytes = 0
      bytes = bytes.subarray(freeBytes)
    }
    // A copy: who sends the bytes may use their memory again.
    if (bytes.length > 0) buffered.push(Uint8Array.from(bytes))
    bufferedBytes += bytes.length
  }
  if (bufferedBytes > 0) yield Buffer.concat(buffered)
}
