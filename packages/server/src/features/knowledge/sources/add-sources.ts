import { MAX_SOURCES } from '@parley/contract/knowledge-source'
import type { MakeId } from '@parley/engine/ports'
import { AppError, ConstraintError, invalidField } from '../../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { buildIngestJob } from '../ingestion/ingest-job.ts'
import { touchBase } from '../knowledge-store.ts'
import { type AdditionPlan, decideAdditions, listPossibleIdentities, type SourceChange } from './decide-additions.ts'
import type { RequestedSource } from './read-sources.ts'
import { countVisibleSources, findExistingSources } from './source-store.ts'
import { type BaseKey, buildSourceRow, STAGED, stageContent } from './stage-content.ts'

/** Maximum number of attempts if existing sources are removed during the request. */
const MAX_ATTEMPTS = 3

export interface AddSourcesDependencies {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
  readonly jobs: Pick<JobQueue, 'enqueue'>
}

interface AddSourcesOptions {
  readonly base: BaseKey
  readonly sources: readonly RequestedSource[]
  /** Runs first in the transaction that publishes the sources. Throws if the knowledge base no longer exists. */
  readonly beforePublish: (transaction: Transaction) => Promise<void>
  readonly createNotFoundError: () => AppError
}

/**
 * Adds all sources or none. Writes hidden content first, then publishes the sources and queues their ingestion jobs in one
 * transaction.
 */
export async function addSources(dependencies: AddSourcesDependencies, options: AddSourcesOptions): Promise<void> {
  const { database, clock, makeId } = dependencies
  const { base, sources } = options
  const stagedIds = new Map<string, string>()
  let usedIds: ReadonlySet<string> = new Set()
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { addedSources } = await planAdditions(database.read, base.id, sources)
      await stageContent({ database, makeId, now: clock.now() }, base, addedSources, stagedIds)
      const publishedIds = await database.transaction((transaction) =>
        publishSources(transaction, dependencies, { ...options, stagedIds }),
      )
      if (publishedIds === null) continue
      usedIds = publishedIds
      return
    }
    throw new AppError('unavailable', 'The knowledge base is being changed by other requests. Try again.', {
      retryAfterMs: 1000,
    })
  } catch (error) {
    // The knowledge base was removed while the content was being written.
    if (error instanceof ConstraintError && error.kind === 'foreign-key') throw options.createNotFoundError()
    throw error
  } finally {
    const unusedIds = [...stagedIds.values()].filter((sourceId) => !usedIds.has(sourceId))
    // If the removal fails or the process crashes, the sweep removes the content.
    await deleteStagedSources(database, unusedIds).catch(() => undefined)
  }
}

interface PublishContext extends AddSourcesOptions {
  /** Ids of the sources with written content, by identity. */
  readonly stagedIds: ReadonlyMap<string, string>
}

/**
 * Publishes the sources and returns their ids. Returns null if content must be staged first, because an existing source was
 * removed during the request.
 */
async function publishSources(
  transaction: Transaction,
  { clock, makeId, jobs }: AddSourcesDependencies,
  { base, sources, stagedIds, beforePublish }: PublishContext,
): Promise<ReadonlySet<string> | null> {
  await beforePublish(transaction)
  const now = clock.now()
  const { addedSources, changes } = await planAdditions(transaction, base.id, sources)
  if (addedSources.some(({ content, identity }) => content !== null && !stagedIds.has(identity))) return null
  if (addedSources.length + changes.length > 0) await touchBase(transaction, base.id, { now, affectsSearch: false })
  const runId = makeId('reading')
  const publishedIds = new Set<string>()
  for (const [index, source] of addedSources.entries()) {
    const sourceId = stagedIds.get(source.identity) ?? makeId('source')
    // Creation times are one millisecond apart, so that lists keep the given order.
    const row = { ...buildSourceRow(base, source, { sourceId, runId, now }), created_at: now + index }
    if (source.content === null) await transaction.insertInto('knowledge_sources').values(row).execute()
    else await publishStaged(transaction, row)
    await jobs.enqueue(transaction, { ...buildIngestJob(sourceId, runId), workspaceId: base.workspaceId })
    publishedIds.add(sourceId)
  }
  for (const change of changes) {
    await applyChange(transaction, change, { runId, now })
    if (change.nextStatus === null) continue
    await jobs.enqueue(transaction, { ...buildIngestJob(change.sourceId, runId), workspaceId: base.workspaceId })
  }
  return publishedIds
}

async function publishStaged(transaction: Transaction, row: ReturnType<typeof buildSourceRow>): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('knowledge_sources')
    .set(row)
    .where('source_id', '=', row.source_id)
    .where('status', '=', STAGED)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 1n) return
  throw new AppError('unavailable', 'Writing the files took too long. Try again.', { retryAfterMs: 1000 })
}

async function applyChange(
  transaction: Transaction,
  { sourceId, title, nextStatus }: SourceChange,
  { runId, now }: { readonly runId: string; readonly now: number },
): Promise<void> {
  const runColumns =
    nextStatus === null
      ? {}
      : { status: nextStatus, reading_id: runId, ...(nextStatus === 'processing' && { error: null }) }
  await transaction
    .updateTable('knowledge_sources')
    .set({ title, crawl_path: null, updated_at: now, ...runColumns })
    .where('source_id', '=', sourceId)
    .execute()
}

async function planAdditions(
  reader: Reader,
  knowledgeBaseId: string,
  requested: readonly RequestedSource[],
): Promise<AdditionPlan> {
  const identities = [...new Set(requested.flatMap(listPossibleIdentities))]
  const existing = await findExistingSources(reader, knowledgeBaseId, identities)
  const additions = decideAdditions(requested, existing, await countVisibleSources(reader, knowledgeBaseId))
  if (!additions.exceedsLimit) return additions
  throw invalidField('sources', `would exceed the limit of ${MAX_SOURCES} sources for a knowledge base`)
}

async function deleteStagedSources(database: Database, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return
  const query = database.queryBuilder
    .deleteFrom('knowledge_sources')
    .where('source_id', 'in', sourceIds)
    .where('status', '=', STAGED)
    .compile()
  await database.batch([{ query }])
}
