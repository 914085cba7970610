import type { Crawl } from '@parley/contract/knowledge-base'
import { ConstraintError } from '../../../kernel/errors.ts'
import type { Job, JobHandler } from '../../../kernel/work/jobs.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { addPages, sitesOf } from '../crawling/crawl-add-pages.ts'
import { isSitemap, isWithinSite } from '../crawling/crawl-scope.ts'
import type { PreparedDocument } from '../knowledge-ports.ts'
import { ALIAS, aliasIdentity, urlIdentity } from '../sources/source-identity.ts'
import { embedStaged } from '../vectors/embed-staged.ts'
import { hasVectors } from '../vectors/embed-vectors.ts'
import { type Claim, claimSource, findReading, isInProgress, LostClaimError } from './ingest-claim.ts'
import { loadSource, type SourceBytes } from './ingest-content.ts'
import { decideFailure, decidePageAction, type ReadingFailure } from './ingest-decide.ts'
import { finalizeSource, type SourceOutcome } from './ingest-finalize.ts'
import { embedJob, readIngestPayload } from './ingest-job.ts'
import type { IngestionDependencies } from './ingest-ports.ts'
import { retryDelayMs } from './ingest-retries.ts'
import { nextGeneration, removeOriginal, removeOtherGenerations, stageGeneration } from './ingest-stage.ts'

/** Waiting for a site, two minutes of reading, embedding, and writing. */
const TIMEOUT_MS = 600_000
const MISSING = 'Its content is no longer there: delete it and add it again.'

/** One attempt at a reading. */
interface Attempt {
  readonly claim: Claim
  readonly attempt: number
  readonly signal: AbortSignal
  /** The site whose pages are looked for among its links; null when it is none of a site. */
  readonly site: Crawl | null
}

/** Reads one source. Done again and again it comes to the same, wherever it was cut off before. */
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
        // Whoever took it over may have died: only when nothing is left to do is this attempt done.
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
  // An attempt before this one ended the reading and was cut off then.
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

/** The site that a source belongs to, also when its owner has named its first page apart. */
function siteOf({ source, base }: Claim): Crawl | null {
  const isOf = ({ path }: Crawl): boolean => path === source.crawl_path || urlIdentity(path) === source.identity
  return sitesOf(base).find(isOf) ?? null
}

interface NewContent {
  readonly content: SourceBytes
  /** An attempt before this one had written something. */
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
  // Read off now: the bytes are handed over to another thread.
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
      // Pages of a site are called what they call themselves now.
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

/** A page that only leads to another one. */
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
      throw new Error(`The ${failure.of} could not be read now.`)
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
    // Another source has just become the page that this one leads to: the next attempt finds it.
    if (outcome.changes?.status !== ALIAS) throw new Error('Another source took the address of the page.')
    return await finalizeSource(dependencies, claim, { ...outcome, changes: null })
  }
  if (outcome.changes === null) return
  await cleanUp(dependencies, { source: { ...claim.source, ...outcome.changes }, token: claim.token })
}

/** Removes what a reading that has ended does not need any more. */
async function cleanUp(
  { database }: Pick<IngestionDependencies, 'database'>,
  claim: Pick<Claim, 'source' | 'token'>,
): Promise<void> {
  const { source } = claim
  await removeOtherGenerations(database, claim, source.generation)
  // What could not be read may be read another time.
  if (source.status === 'ready' && source.error === null) await removeOriginal(database, claim)
}

/** Where a page of a site stands after redirects. */
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

/** Pages differ from fetch to fetch in what nobody reads: what can be found may still be the same. */
async function isSameText(
  { database }: Pick<IngestionDependencies, 'database'>,
  { source }: Claim,
  { chunks }: Pick<PreparedDocument, 'chunks'>,
): Promise<boolean> {
  if (source.generation === 0 || source.chunk_count !== chunks.length) return false
  for (let from = 0; from < chunks.length; from += CHUNK_BATCH_SIZE) {
    const some = chunks.slice(from, from + CHUNK_BATCH_SIZE)
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
