import { createHash } from 'node:crypto'
import type { Reader } from '../../../kernel/storage/database.ts'
import type { FetchedPage, PageValidators, WebPages } from '../knowledge-ports.ts'
import type { Claim } from './ingest-claim.ts'

/** What a source is read from. */
export interface SourceBytes {
  readonly bytes: Uint8Array
  /** Hex SHA-256. */
  readonly contentHash: string
  readonly contentType: string | null
  /** After redirects; null for what was not fetched. */
  readonly url: string | null
  readonly validators: PageValidators
}

/** `missing`: there is nothing that it could be read from. */
export type LoadedSource =
  | { readonly type: 'loaded'; readonly content: SourceBytes }
  | { readonly type: 'unchanged' }
  | { readonly type: 'missing' }
  | { readonly type: 'failed'; readonly failure: Extract<FetchedPage, { ok: false }> }

const NO_VALIDATORS: PageValidators = { etag: null, lastModified: null }

/** Fetches a page, or reads what was sent part by part. */
export async function loadSource(
  { read, pages }: { readonly read: Reader; readonly pages: Pick<WebPages, 'fetch'> },
  { source }: Pick<Claim, 'source'>,
  signal: AbortSignal,
): Promise<LoadedSource> {
  if (source.url !== null) {
    // What was never read cannot be unchanged.
    const validators =
      source.generation === 0 ? NO_VALIDATORS : { etag: source.etag, lastModified: source.last_modified }
    const page = await pages.fetch(source.url, validators, signal)
    signal.throwIfAborted()
    if (!page.ok) return { type: 'failed', failure: page }
    if (!page.changed) return { type: 'unchanged' }
    return { type: 'loaded', content: { ...page, contentHash: await hashOffThread(page.bytes) } }
  }
  return await loadOriginal(read, source.source_id, signal)
}

async function loadOriginal(read: Reader, sourceId: string, signal: AbortSignal): Promise<LoadedSource> {
  const parts: Buffer[] = []
  const hash = createHash('sha256')
  for (let part = 0; ; part += 1) {
    signal.throwIfAborted()
    const row = await read
      .selectFrom('knowledge_originals')
      .select('content')
      .where('source_id', '=', sourceId)
      .where('part', '=', part)
      .executeTakeFirst()
    if (row === undefined) break
    const bytes = Buffer.from(row.content, 'base64')
    hash.update(bytes)
    parts.push(bytes)
  }
  if (parts.length === 0) return { type: 'missing' }
  // Of its own memory, since it is handed over to another thread.
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  const contentHash = hash.digest('hex')
  return { type: 'loaded', content: { bytes, contentHash, contentType: null, url: null, validators: NO_VALIDATORS } }
}

/** On another thread: pages may be large. */
async function hashOffThread(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes.slice())).toString('hex')
}
