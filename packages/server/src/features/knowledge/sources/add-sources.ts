import { MAX_SOURCES } from '@parley/contract/knowledge-source'
import type { MakeId } from '@parley/engine/ports'
import { AppError, ConstraintError, invalidField } from '../../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { ingestJob } from '../ingestion/ingest-job.ts'
import { touchBase } from '../knowledge-store.ts'
import { type Additions, decideAdditions, possibleIdentities, type SourceChange } from './decide-additions.ts'
import type { RequestedSource } from './read-sources.ts'
import { countExisting, findExisting } from './source-store.ts'
import { type BaseKey, newSourceRow, STAGED, stageContent } from './stage-content.ts'

/** How often content is written once more because what was there has been removed meanwhile. */
const MAX_ROUNDS = 3

export interface AddingDependencies {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
  readonly jobs: Pick<JobQueue, 'enqueue'>
}

export interface AddingOptions {
  readonly base: BaseKey
  readonly requested: readonly RequestedSource[]
  /** Runs first in the unit of work that makes the sources visible: throws when the knowledge base is not there any more. */
  readonly check: (transaction: Transaction) => Promise<void>
  readonly missing: () => AppError
}

/**
 * Adds sources to a knowledge base, all or none of them: their content is written first, out of sight, then one unit of work
 * shows them and writes the jobs that read them.
 */
export async function addSources(dependencies: AddingDependencies, options: AddingOptions): Promise<void> {
  const { database, clock, makeId } = dependencies
  const { base, requested } = options
  const staged = new Map<string, string>()
  let used: ReadonlySet<string> = new Set()
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { added } = await planAdditions(database.read, base.id, requested)
      await stageContent({ database, makeId, now: clock.now() }, base, added, staged)
      const shown = await database.transaction((transaction) => show(transaction, dependencies, { ...options, staged }))
      if (shown === null) continue
      used = shown
      return
    }
    throw new AppError('unavailable', 'The knowledge base is changed by others just now. Try again.', {
      retryAfterMs: 1000,
    })
  } catch (error) {
    // It was removed while its content was being written.
    if (error instanceof ConstraintError && error.kind === 'foreign-key') throw options.missing()
    throw error
  } finally {
    const left = [...staged.values()].filter((sourceId) => !used.has(sourceId))
    // Failing here, or dying before, leaves it to the sweep.
    await discardStaged(database, left).catch(() => undefined)
  }
}

interface PublishContext extends AddingOptions {
  /** Ids of the sources whose content is written, by identity. */
  readonly staged: ReadonlyMap<string, string>
}

/** Answers the ids of the sources that it made visible; null when one is needed whose content was not written, since it was there. */
async function show(
  transaction: Transaction,
  { clock, makeId, jobs }: AddingDependencies,
  { base, requested, staged, check }: PublishContext,
): Promise<ReadonlySet<string> | null> {
  await check(transaction)
  const now = clock.now()
  const { added, changed } = await planAdditions(transaction, base.id, requested)
  if (added.some(({ content, identity }) => content !== null && !staged.has(identity))) return null
  if (added.length + changed.length > 0) await touchBase(transaction, base.id, { now, found: false })
  const readingId = makeId('reading')
  const shown = new Set<string>()
  for (const [index, source] of added.entries()) {
    const sourceId = staged.get(source.identity) ?? makeId('source')
    // A millisecond apart, so that lists have them in the order in which they were given.
    const row = { ...newSourceRow(base, source, { sourceId, readingId, now }), created_at: now + index }
    if (source.content === null) await transaction.insertInto('knowledge_sources').values(row).execute()
    else await publishStaged(transaction, row)
    await jobs.enqueue(transaction, { ...ingestJob(sourceId, readingId), workspaceId: base.workspaceId })
    shown.add(sourceId)
  }
  for (const change of changed) {
    await applyChange(transaction, change, { readingId, now })
    if (change.readAs === null) continue
    await jobs.enqueue(transaction, { ...ingestJob(change.sourceId, readingId), workspaceId: base.workspaceId })
  }
  return shown
}

async function publishStaged(transaction: Transaction, row: ReturnType<typeof newSourceRow>): Promise<void> {
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
  { sourceId, title, readAs }: SourceChange,
  { readingId, now }: { readonly readingId: string; readonly now: number },
): Promise<void> {
  const reading =
    readAs === null ? {} : { status: readAs, reading_id: readingId, ...(readAs === 'processing' && { error: null }) }
  await transaction
    .updateTable('knowledge_sources')
    .set({ title, crawl_path: null, updated_at: now, ...reading })
    .where('source_id', '=', sourceId)
    .execute()
}

async function planAdditions(
  reader: Reader,
  knowledgeBaseId: string,
  requested: readonly RequestedSource[],
): Promise<Additions> {
  const identities = [...new Set(requested.flatMap(possibleIdentities))]
  const existing = await findExisting(reader, knowledgeBaseId, identities)
  const additions = decideAdditions(requested, existing, await countExisting(reader, knowledgeBaseId))
  if (!additions.tooMany) return additions
  throw invalidField('sources', `would make more than ${MAX_SOURCES} sources of this knowledge base`)
}

/** Removes what was written and is not needed after all. */
async function discardStaged(database: Database, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return
  const query = database.compile
    .deleteFrom('knowledge_sources')
    .where('source_id', 'in', sourceIds)
    .where('status', '=', STAGED)
    .compile()
  await database.batch([{ query }])
}
