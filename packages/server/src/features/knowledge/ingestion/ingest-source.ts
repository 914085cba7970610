import { createHash } from 'node:crypto'
import type { Crawl } from '@parley/contract/knowledge-base'
import { ConstraintError } from '../../../kernel/errors.ts'
import { splitIntoChunks } from '../../../kernel/storage/chunks.ts'
import type { Reader } from '../../../kernel/storage/database.ts'
import type { Job, JobHandler } from '../../../kernel/work/jobs.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { addPages, sitesOf } from '../crawling/crawl-add-pages.ts'
import { isSitemap, isWithinSite } from '../crawling/crawl-scope.ts'
import type { FetchedPage, PageValidators, PreparedDocument, WebPages } from '../knowledge-ports.ts'
import { ALIAS, aliasIdentity, urlIdentity } from '../sources/read-sources.ts'
import { embedStaged } from '../vectors/embed-job.ts'
import { hasVectors } from '../vectors/embed-vectors.ts'
import { type Claim, claimSource, findReading, isInProgress, LostClaimError } from './ingest-claim.ts'
import { decideFailure, decidePageAction, type ReadingFailure } from './ingest-decide.ts'
import { finalizeSource, type SourceOutcome } from './ingest-finalize.ts'
import { embedJob, type IngestionDependencies, readIngestPayload, retryDelayMs } from './ingest-job.ts'
import { nextGeneration, removeOriginal, removeOtherGenerations, stageGeneration } from './ingest-stage.ts'

/** Content of a source. */
interface SourceBytes {
  readonly bytes: Uint8Array
  /** Hex SHA-256. */
  readonly contentHash: string
  readonly contentType: string | null
  /** After redirects; null when not fetched. */
  readonly url: string | null
  readonly validators: PageValidators
}

/** `missing`: there is no content to read. */
type LoadedSource =
  | { readonly type: 'loaded'; readonly content: SourceBytes }
  | { readonly type: 'unchanged' }
  | { readonly type: 'missing' }
  | { readonly type: 'failed'; readonly failure: Extract<FetchedPage, { ok: false }> }

const NO_VALIDATORS: PageValidators = { etag: null, lastModified: null }

/** Fetches a page, or reads uploaded parts. */
async function loadSource(
  { read, pages }: { readonly read: Reader; readonly pages: Pick<WebPages, 'fetch'> },
  { source }: Pick<Claim, 'source'>,
  signal: AbortSignal,
): Promise<LoadedSource> {
  if (source.url !== null) {
    // A source that was never read cannot be unchanged.
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
  // Copied to its own buffer, because it is transferred to another thread.
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

/** Time for a slow site, two minutes of reading, embedding and writing. */
const TIMEOUT_MS = 600_000
const MISSING = 'Its content is no longer stored: delete the source and add it again.'

interface Attempt {
  readonly claim: Claim
  readonly attempt: number
  readonly signal: AbortSignal
  /** The site to search links for; null when the page belongs to none. */
  readonly site: Crawl | null
}

/** Reads one source. Idempotent: a repeated attempt reaches the same state after any interruption. */
export function createIngestHandler(dependencies: IngestionDependencies): JobHandler {
  return {
    timeoutMs: TIMEOUT_MS,
    retryDelayMs,
    async run(job, signal) {
      const { sourceId, readingId } = readIngestPayload(job)
      try {
        await ingest(dependencies, job, signal)
      } catch (error) {
        if (!(error instanceof LostClaimError)) throw error
        // The attempt that took it over may have died: this one is done only when nothing is left to do.
        const source = await findReading(dependencies.database.read, sourceId, readingId)
        if (source !== null && isInProgress(source)) throw error
      }
    },
  }
}

async function ingest(dependencies: IngestionDependencies, job: Job, signal: AbortSignal): Promise<void> {
  const { database, clock } = dependencies
  const { sourceId, readingId } = readIngestPayload(job)
  const source = await findReading(database.read, sourceId, readingId)
  if (source === null) return
  // An earlier attempt ended the reading and was interrupted afterwards.
  if (!isInProgress(source)) return await cleanUp(dependencies, { source, token: source.reading_id })
  const claim = await claimSource(dependencies, source, clock.now())
  if (claim === null) return
  const attempt: Attempt = { claim, attempt: job.attempt, signal, site: siteOf(claim) }
  const hadLeftovers = await removeOtherGenerations(database, claim, source.generation)
  const loaded = await loadSource({ read: database.read, pages: dependencies.pages }, claim, signal)
  if (loaded.type === 'failed') return await fail(dependencies, attempt, { ...loaded.failure, of: 'page' })
  if (loaded.type === 'missing') {
    return await fail(dependencies, attempt, { of: 'nothing', message: MISSING, retryable: false })
  }
  if (loaded.type === 'unchanged') return await finalizeUnchanged(dependencies, claim, {})
  await ingestContent(dependencies, attempt, { content: loaded.content, hadLeftovers })
}

/** The site of a source, even when its owner added its first page separately. */
function siteOf({ source, base }: Claim): Crawl | null {
  const isOf = ({ path }: Crawl): boolean => path === source.crawl_path || urlIdentity(path) === source.identity
  return sitesOf(base).find(isOf) ?? null
}

interface NewContent {
  readonly content: SourceBytes
  /** An earlier attempt wrote something. */
  readonly hadLeftovers: boolean
}

async function ingestContent(
  dependencies: IngestionDependencies,
  attempt: Attempt,
  { content, hadLeftovers }: NewContent,
): Promise<void> {
  const { claim, signal, site } = attempt
  const { source, base } = claim
  const pageAction = await findPageAction(dependencies, claim, { url: content.url, site })
  if (pageAction === 'drop') return await finalize(dependencies, claim, await aliasOutcome(dependencies, claim))
  // Read now: the bytes are transferred to another thread.
  const seen = { size_bytes: content.bytes.byteLength, ...columnsOf(content) }
  if (source.generation > 0 && source.content_hash === content.contentHash) {
    return await finalizeUnchanged(dependencies, claim, seen)
  }
  const prepared = await dependencies.documents.prepare(
    {
      bytes: content.bytes,
      filename: source.filename,
      contentType: content.contentType ?? source.given_content_type,
      url: content.url,
      // Pages of a site use their own current titles.
      title: source.crawl_path === null ? source.title : '',
    },
    {
      workspaceId: base.workspace_id,
      sizes: { maxChunkSize: base.max_chunk_size, minChunkSize: base.min_chunk_size },
      signal,
    },
  )
  signal.throwIfAborted()
  if (!prepared.ok) return await fail(dependencies, attempt, { ...prepared, of: 'document' })
  if (site !== null && !isSitemap(site.path)) {
    const own = content.url === null ? null : urlIdentity(content.url)
    const links = prepared.links.filter((link) => !URL.canParse(link) || urlIdentity(link) !== own)
    await addPages(dependencies, base.knowledge_base_id, { site, links })
  }
  const moved = pageAction === 'move' && content.url !== null ? movedTo(content.url) : {}
  const described = { ...seen, ...moved, ...describe(source, prepared) }
  if (await isSameText(dependencies, claim, prepared)) return await finalizeUnchanged(dependencies, claim, described)
  await stageGeneration(dependencies.database, claim, prepared, signal)
  const jobs = await embedStaged(dependencies, claim, { prepared, hadLeftovers, signal })
  const changes = { ...described, generation: nextGeneration(claim), chunk_count: prepared.chunks.length }
  await finalize(dependencies, claim, { changes: { ...changes, ...refreshedColumns(dependencies) }, found: true, jobs })
}

function columnsOf({ contentHash, validators }: SourceBytes): Partial<KnowledgeSourceRow> {
  return { content_hash: contentHash, etag: validators.etag, last_modified: validators.lastModified }
}

function movedTo(url: string): Partial<KnowledgeSourceRow> {
  const identity = urlIdentity(url)
  return { identity, url: identity.slice('url:'.length) }
}

function describe(source: KnowledgeSourceRow, prepared: PreparedDocument): Partial<KnowledgeSourceRow> {
  const isOwn = source.crawl_path === null && source.title !== ''
  return {
    content_type: prepared.contentType,
    ...(!isOwn && { title: prepared.title }),
    characters: prepared.characters,
    page_count: prepared.pageCount,
  }
}

function refreshedColumns({ clock }: Pick<IngestionDependencies, 'clock'>): Partial<KnowledgeSourceRow> {
  return { status: 'ready', error: null, refreshed_at: clock.now() }
}

async function finalizeUnchanged(
  dependencies: IngestionDependencies,
  claim: Claim,
  changes: Partial<KnowledgeSourceRow>,
): Promise<void> {
  await finalize(dependencies, claim, { changes: { ...changes, ...refreshedColumns(dependencies) }, found: false })
}

async function removalOutcome({ database }: IngestionDependencies, { source, base }: Claim): Promise<SourceOutcome> {
  const { knowledge_base_id: id } = base
  const jobs = (await hasVectors(database, id)) ? [embedJob(id)] : []
  return { changes: null, found: source.generation > 0, jobs }
}

/** Handles a page that only redirects. */
async function aliasOutcome(dependencies: IngestionDependencies, claim: Claim): Promise<SourceOutcome> {
  const identity = aliasIdentity(claim.source.identity)
  const changes = { status: ALIAS, identity, generation: 0, chunk_count: 0, characters: 0, error: null }
  return { ...(await removalOutcome(dependencies, claim)), changes }
}

async function fail(
  dependencies: IngestionDependencies,
  { claim, attempt }: Attempt,
  failure: ReadingFailure,
): Promise<void> {
  const decision = decideFailure(claim.source, failure, { attempt, now: dependencies.clock.now() })
  switch (decision.type) {
    case 'retry':
      throw new Error(`The ${failure.of} could not be read. Try again later.`)
    case 'remove':
      return await finalize(dependencies, claim, await removalOutcome(dependencies, claim))
    case 'finalize':
      return await finalize(dependencies, claim, { changes: decision.changes, found: false })
  }
}

async function finalize(dependencies: IngestionDependencies, claim: Claim, outcome: SourceOutcome): Promise<void> {
  try {
    await finalizeSource(dependencies, claim, outcome)
  } catch (error) {
    if (!(error instanceof ConstraintError) || error.kind !== 'unique') throw error
    // Another source just took the target URL: the next attempt finds it.
    if (outcome.changes?.status !== ALIAS) throw new Error('Another source has the URL of the page.')
    return await finalizeSource(dependencies, claim, { ...outcome, changes: null })
  }
  if (outcome.changes === null) return
  await cleanUp(dependencies, { source: { ...claim.source, ...outcome.changes }, token: claim.token })
}

/** Removes what an ended reading no longer needs. */
async function cleanUp(
  { database }: Pick<IngestionDependencies, 'database'>,
  claim: Pick<Claim, 'source' | 'token'>,
): Promise<void> {
  const { source } = claim
  await removeOtherGenerations(database, claim, source.generation)
  // Failed originals are kept for another try.
  if (source.status === 'ready' && source.error === null) await removeOriginal(database, claim)
}

/** Decides about a redirected page of a site. */
async function findPageAction(
  { database }: Pick<IngestionDependencies, 'database'>,
  { source }: Claim,
  { url, site }: { readonly url: string | null; readonly site: Crawl | null },
): Promise<ReturnType<typeof decidePageAction>> {
  if (source.crawl_path === null || url === null || site === null) return 'keep'
  const finalIdentity = urlIdentity(url)
  const other = await database.read
    .selectFrom('knowledge_sources')
    .select('crawl_path')
    .where('knowledge_base_id', '=', source.knowledge_base_id)
    .where('identity', '=', finalIdentity)
    .where('source_id', '<>', source.source_id)
    .executeTakeFirst()
  return decidePageAction({
    identity: source.identity,
    finalIdentity,
    isFirst: source.identity === urlIdentity(site.path),
    isWithin: isWithinSite(site, url),
    other: other === undefined ? null : other.crawl_path === source.crawl_path ? 'of-site' : 'elsewhere',
  })
}

const CHUNK_BATCH_SIZE = 500

/** Pages often differ only in invisible parts; compares the searchable text. */
async function isSameText(
  { database }: Pick<IngestionDependencies, 'database'>,
  { source }: Claim,
  { chunks }: Pick<PreparedDocument, 'chunks'>,
): Promise<boolean> {
  if (source.generation === 0 || source.chunk_count !== chunks.length) return false
  for (const some of splitIntoChunks(chunks, CHUNK_BATCH_SIZE)) {
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
