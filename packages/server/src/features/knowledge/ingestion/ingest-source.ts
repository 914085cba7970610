import { createHash } from 'node:crypto'
import type { Crawl } from '@parley/contract/knowledge-base'
import { ConstraintError } from '../../../kernel/errors.ts'
import { splitIntoChunks } from '../../../kernel/storage/chunks.ts'
import type { Reader } from '../../../kernel/storage/database.ts'
import type { Job, JobHandler } from '../../../kernel/work/jobs.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { addPages, parseCrawlSites } from '../crawling/crawl-add-pages.ts'
import { isSitemap, isWithinSite } from '../crawling/crawl-scope.ts'
import type { FetchedPage, PageValidators, PreparedDocument, WebPageFetcher } from '../knowledge-ports.ts'
import { ALIAS, buildAliasIdentity, buildUrlIdentity } from '../sources/read-sources.ts'
import { embedStagedPassages } from '../vectors/embed-job.ts'
import { hasVectors } from '../vectors/embed-vectors.ts'
import { type Claim, claimSource, findSourceByRun, isInProgress, LostClaimError } from './ingest-claim.ts'
import { decideFailure, decidePageAction, type IngestFailure } from './ingest-decide.ts'
import { finalizeSource, type SourceOutcome } from './ingest-finalize.ts'
import { buildEmbedJob, getRetryDelayMs, type IngestionDependencies, readIngestPayload } from './ingest-job.ts'
import { getNextGeneration, removeOriginal, removeOtherGenerations, stageGeneration } from './ingest-stage.ts'

/** Raw content of a source with its hash and validators. */
interface SourceBytes {
  readonly bytes: Uint8Array
  /** SHA-256 in hexadecimal. */
  readonly contentHash: string
  readonly contentType: string | null
  /** URL after redirects, or null if the content was not fetched. */
  readonly url: string | null
  readonly validators: PageValidators
}

/** The result of loading content. `missing` means that no content is stored. */
type LoadResult =
  | { readonly type: 'loaded'; readonly content: SourceBytes }
  | { readonly type: 'unchanged' }
  | { readonly type: 'missing' }
  | { readonly type: 'failed'; readonly failure: Extract<FetchedPage, { ok: false }> }

const NO_VALIDATORS: PageValidators = { etag: null, lastModified: null }

/** Fetches a page, or reads the uploaded parts of a file or text. */
async function loadSource(
  { read, pages }: { readonly read: Reader; readonly pages: Pick<WebPageFetcher, 'fetch'> },
  { source }: Pick<Claim, 'source'>,
  signal: AbortSignal,
): Promise<LoadResult> {
  if (source.url !== null) {
    // Without content, the page must be fetched even if it is unchanged.
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

async function loadOriginal(read: Reader, sourceId: string, signal: AbortSignal): Promise<LoadResult> {
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
  // Copies the parts into a separate buffer, which can be transferred to another thread.
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  const contentHash = hash.digest('hex')
  return { type: 'loaded', content: { bytes, contentHash, contentType: null, url: null, validators: NO_VALIDATORS } }
}

/** Hashes content on another thread, because pages may be large. */
async function hashOffThread(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes.slice())).toString('hex')
}

/** Long enough for a slow website and two minutes of parsing, embedding and writing. */
const TIMEOUT_MS = 600_000
const MISSING_MESSAGE = 'The content is no longer stored. Delete the source and add it again.'

interface IngestAttempt {
  readonly claim: Claim
  readonly attempt: number
  readonly signal: AbortSignal
  /** The site to crawl from this page, or null if the page does not belong to a site. */
  readonly site: Crawl | null
}

/** Creates the job handler that ingests one source. An interrupted job can be retried. */
export function createIngestHandler(dependencies: IngestionDependencies): JobHandler {
  return {
    timeoutMs: TIMEOUT_MS,
    retryDelayMs: getRetryDelayMs,
    async run(job, signal) {
      const { sourceId, runId } = readIngestPayload(job)
      try {
        await ingest(dependencies, job, signal)
      } catch (error) {
        if (!(error instanceof LostClaimError)) throw error
        // Retries until the run ends, because the attempt that claimed the source may have crashed.
        const source = await findSourceByRun(dependencies.database.read, sourceId, runId)
        if (source !== null && isInProgress(source)) throw error
      }
    },
  }
}

async function ingest(dependencies: IngestionDependencies, job: Job, signal: AbortSignal): Promise<void> {
  const { database, clock } = dependencies
  const { sourceId, runId } = readIngestPayload(job)
  const source = await findSourceByRun(database.read, sourceId, runId)
  if (source === null) return
  // An earlier attempt completed the run but was interrupted before the cleanup.
  if (!isInProgress(source)) return await cleanUpIngestion(dependencies, { source, token: source.reading_id })
  const claim = await claimSource(dependencies, source, clock.now())
  if (claim === null) return
  const attempt: IngestAttempt = { claim, attempt: job.attempt, signal, site: findSourceSite(claim) }
  const hadLeftovers = await removeOtherGenerations(database, claim, source.generation)
  const loadResult = await loadSource({ read: database.read, pages: dependencies.pages }, claim, signal)
  if (loadResult.type === 'failed')
    return await handleFailure(dependencies, attempt, { ...loadResult.failure, kind: 'page' })
  if (loadResult.type === 'missing') {
    return await handleFailure(dependencies, attempt, { kind: 'source', message: MISSING_MESSAGE, retryable: false })
  }
  if (loadResult.type === 'unchanged') return await finalizeUnchanged(dependencies, claim, {})
  await ingestContent(dependencies, attempt, { content: loadResult.content, hadLeftovers })
}

/** Finds the site that a source belongs to. Its first page may have been added separately. */
function findSourceSite({ source, base }: Claim): Crawl | null {
  const isSourceSite = ({ path }: Crawl): boolean =>
    path === source.crawl_path || buildUrlIdentity(path) === source.identity
  return parseCrawlSites(base).find(isSourceSite) ?? null
}

interface NewContent {
  readonly content: SourceBytes
  /** Whether an earlier attempt left unpublished content. */
  readonly hadLeftovers: boolean
}

async function ingestContent(
  dependencies: IngestionDependencies,
  attempt: IngestAttempt,
  { content, hadLeftovers: hadStaleContent }: NewContent,
): Promise<void> {
  const { claim, signal, site } = attempt
  const { source, base } = claim
  const pageAction = await findPageAction(dependencies, claim, { url: content.url, site })
  if (pageAction === 'drop')
    return await finishIngestion(dependencies, claim, await buildAliasOutcome(dependencies, claim))
  // Computed before the bytes are transferred to another thread.
  const contentColumns = { size_bytes: content.bytes.byteLength, ...toContentColumns(content) }
  if (source.generation > 0 && source.content_hash === content.contentHash) {
    return await finalizeUnchanged(dependencies, claim, contentColumns)
  }
  const prepared = await dependencies.documents.prepare(
    {
      bytes: content.bytes,
      filename: source.filename,
      contentType: content.contentType ?? source.given_content_type,
      url: content.url,
      // Crawled pages always use the page's current title.
      title: source.crawl_path === null ? source.title : '',
    },
    {
      workspaceId: base.workspace_id,
      sizes: { maxChunkSize: base.max_chunk_size, minChunkSize: base.min_chunk_size },
      signal,
    },
  )
  signal.throwIfAborted()
  if (!prepared.ok) return await handleFailure(dependencies, attempt, { ...prepared, kind: 'document' })
  if (site !== null && !isSitemap(site.path)) {
    const pageIdentity = content.url === null ? null : buildUrlIdentity(content.url)
    const links = prepared.links.filter((link) => !URL.canParse(link) || buildUrlIdentity(link) !== pageIdentity)
    await addPages(dependencies, base.knowledge_base_id, { site, links })
  }
  const urlColumns = pageAction === 'move' && content.url !== null ? buildUrlColumns(content.url) : {}
  const columns = { ...contentColumns, ...urlColumns, ...buildDocumentColumns(source, prepared) }
  if (await isTextUnchanged(dependencies, claim, prepared)) return await finalizeUnchanged(dependencies, claim, columns)
  await stageGeneration(dependencies.database, claim, prepared, signal)
  const jobs = await embedStagedPassages(dependencies, claim, { prepared, hadStaleContent, signal })
  const changes = { ...columns, generation: getNextGeneration(claim), chunk_count: prepared.chunks.length }
  await finishIngestion(dependencies, claim, {
    changes: { ...changes, ...buildRefreshedColumns(dependencies) },
    affectsSearch: true,
    jobs,
  })
}

function toContentColumns({ contentHash, validators }: SourceBytes): Partial<KnowledgeSourceRow> {
  return { content_hash: contentHash, etag: validators.etag, last_modified: validators.lastModified }
}

function buildUrlColumns(url: string): Partial<KnowledgeSourceRow> {
  const identity = buildUrlIdentity(url)
  return { identity, url: identity.slice('url:'.length) }
}

function buildDocumentColumns(source: KnowledgeSourceRow, prepared: PreparedDocument): Partial<KnowledgeSourceRow> {
  const hasOwnerTitle = source.crawl_path === null && source.title !== ''
  return {
    content_type: prepared.contentType,
    ...(!hasOwnerTitle && { title: prepared.title }),
    characters: prepared.characters,
    page_count: prepared.pageCount,
  }
}

function buildRefreshedColumns({ clock }: Pick<IngestionDependencies, 'clock'>): Partial<KnowledgeSourceRow> {
  return { status: 'ready', error: null, refreshed_at: clock.now() }
}

async function finalizeUnchanged(
  dependencies: IngestionDependencies,
  claim: Claim,
  changes: Partial<KnowledgeSourceRow>,
): Promise<void> {
  await finishIngestion(dependencies, claim, {
    changes: { ...changes, ...buildRefreshedColumns(dependencies) },
    affectsSearch: false,
  })
}

async function buildRemovalOutcome(
  { database }: IngestionDependencies,
  { source, base }: Claim,
): Promise<SourceOutcome> {
  const { knowledge_base_id: id } = base
  const jobs = (await hasVectors(database, id)) ? [buildEmbedJob(id)] : []
  return { changes: null, affectsSearch: source.generation > 0, jobs }
}

/** Builds the outcome for a page that redirects to another source. */
async function buildAliasOutcome(dependencies: IngestionDependencies, claim: Claim): Promise<SourceOutcome> {
  const identity = buildAliasIdentity(claim.source.identity)
  const changes = { status: ALIAS, identity, generation: 0, chunk_count: 0, characters: 0, error: null }
  return { ...(await buildRemovalOutcome(dependencies, claim)), changes }
}

async function handleFailure(
  dependencies: IngestionDependencies,
  { claim, attempt }: IngestAttempt,
  failure: IngestFailure,
): Promise<void> {
  const decision = decideFailure(claim.source, failure, { attempt, now: dependencies.clock.now() })
  switch (decision.type) {
    case 'retry':
      throw new Error(`The ${failure.kind} could not be read. Try again later.`)
    case 'remove':
      return await finishIngestion(dependencies, claim, await buildRemovalOutcome(dependencies, claim))
    case 'finalize':
      return await finishIngestion(dependencies, claim, { changes: decision.changes, affectsSearch: false })
  }
}

async function finishIngestion(
  dependencies: IngestionDependencies,
  claim: Claim,
  outcome: SourceOutcome,
): Promise<void> {
  try {
    await finalizeSource(dependencies, claim, outcome)
  } catch (error) {
    if (!(error instanceof ConstraintError) || error.kind !== 'unique') throw error
    // Another run has just stored the target URL. The next attempt finds that source.
    if (outcome.changes?.status !== ALIAS) throw new Error('Another source already has this page URL.')
    return await finalizeSource(dependencies, claim, { ...outcome, changes: null })
  }
  if (outcome.changes === null) return
  await cleanUpIngestion(dependencies, { source: { ...claim.source, ...outcome.changes }, token: claim.token })
}

/** Removes data that is no longer needed after an ingestion run. */
async function cleanUpIngestion(
  { database }: Pick<IngestionDependencies, 'database'>,
  claim: Pick<Claim, 'source' | 'token'>,
): Promise<void> {
  const { source } = claim
  await removeOtherGenerations(database, claim, source.generation)
  // Keeps the original after a failure, so that the source can be reread.
  if (source.status === 'ready' && source.error === null) await removeOriginal(database, claim)
}

/** Decides what to do with a crawled page after it was fetched. */
async function findPageAction(
  { database }: Pick<IngestionDependencies, 'database'>,
  { source }: Claim,
  { url, site }: { readonly url: string | null; readonly site: Crawl | null },
): Promise<ReturnType<typeof decidePageAction>> {
  if (source.crawl_path === null || url === null || site === null) return 'keep'
  const finalIdentity = buildUrlIdentity(url)
  const conflictingSource = await database.read
    .selectFrom('knowledge_sources')
    .select('crawl_path')
    .where('knowledge_base_id', '=', source.knowledge_base_id)
    .where('identity', '=', finalIdentity)
    .where('source_id', '<>', source.source_id)
    .executeTakeFirst()
  return decidePageAction({
    identity: source.identity,
    finalIdentity,
    isFirstPage: source.identity === buildUrlIdentity(site.path),
    isTargetWithinSite: isWithinSite(site, url),
    conflict:
      conflictingSource === undefined
        ? null
        : conflictingSource.crawl_path === source.crawl_path
          ? 'same-site'
          : 'other-site',
  })
}

const CHUNK_BATCH_SIZE = 500

/** Whether the searchable text is unchanged. Pages often change only in their markup. */
async function isTextUnchanged(
  { database }: Pick<IngestionDependencies, 'database'>,
  { source }: Claim,
  { chunks }: Pick<PreparedDocument, 'chunks'>,
): Promise<boolean> {
  if (source.generation === 0 || source.chunk_count !== chunks.length) return false
  for (const batch of splitIntoChunks(chunks, CHUNK_BATCH_SIZE)) {
    const rows = await database.read
      .selectFrom('knowledge_chunks')
      .select(['position', 'page', 'content_hash'])
      .where('source_id', '=', source.source_id)
      .where('generation', '=', source.generation)
      .where('position', '>=', batch[0]?.position ?? 0)
      .orderBy('position')
      .limit(batch.length)
      .execute()
    const isUnchanged = batch.every((chunk, index) => {
      const row = rows[index]
      return row?.position === chunk.position && row.page === chunk.page && row.content_hash === chunk.contentHash
    })
    if (!isUnchanged) return false
  }
  return true
}
