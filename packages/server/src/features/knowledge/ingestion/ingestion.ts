import { BatchConflictError, type Reader } from '../../../kernel/storage/database.ts'
import type { JobHandler, JobSchedule } from '../../../kernel/work/jobs.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { createCrawlHandler } from '../crawling/crawl-job.ts'
import { createEmbedHandler } from '../vectors/embed-job.ts'
import { createVectorSweep } from '../vectors/embed-sweep.ts'
import { claimSource, getReadingId, LostClaimError } from './ingest-claim.ts'
import { decideFailure } from './ingest-decide.ts'
import { finalizeSource } from './ingest-finalize.ts'
import { buildIngestJob, CRAWL, EMBED, INGEST, type IngestionDependencies, readIngestPayload } from './ingest-job.ts'
import { createIngestHandler } from './ingest-source.ts'
import { refreshBase } from './refresh-base.ts'

const REFRESH_KIND = 'knowledge-refresh-due'
const BASES_PER_BATCH = 50

type RefreshDueDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'makeId' | 'jobs'>

/** Creates the recurring job that starts due refreshes every few minutes. */
function createRefreshJob({ database, clock, makeId, jobs }: RefreshDueDependencies): {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
} {
  const refresh = (knowledgeBaseId: string, now: number): Promise<boolean> =>
    database.transaction(async (transaction) => {
      // Skips a knowledge base that another run has already refreshed.
      const { numUpdatedRows } = await transaction
        .updateTable('knowledge_bases')
        .set({ refresh_due_at: null })
        .where('knowledge_base_id', '=', knowledgeBaseId)
        .where('refresh_due_at', '<=', now)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows === 0n) return false
      await refreshBase(transaction, { knowledgeBaseId, now }, { jobs, makeId })
      return true
    })

  const run: JobHandler['run'] = async (_job, signal) => {
    const now = clock.now()
    for (;;) {
      signal.throwIfAborted()
      const due = await database.read
        .selectFrom('knowledge_bases')
        .select('knowledge_base_id')
        .where('refresh_due_at', '<=', now)
        .where('edit_count', '>', 0)
        .orderBy('refresh_due_at')
        .orderBy('knowledge_base_id')
        .limit(BASES_PER_BATCH)
        .execute()
      for (const { knowledge_base_id } of due) await refresh(knowledge_base_id, now)
      if (due.length < BASES_PER_BATCH) return
    }
  }

  return {
    handlers: { [REFRESH_KIND]: { run } },
    schedules: [{ name: REFRESH_KIND, pattern: '1-59/3 * * * *', kind: REFRESH_KIND, payload: {} }],
  }
}

const SWEEP_KIND = 'knowledge-look-for-lost-sources'
/** Longer than any pause within an active reading. */
const LOST_AFTER_MS = 900_000
const SOURCES_PER_BATCH = 200
const GIVEN_UP = 'Reading it was interrupted repeatedly. Refresh the knowledge base to try again.'

type SweepDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'makeId' | 'jobs' | 'webhooks'>

/** Creates the recurring job that recovers sources with a lost or permanently failed job every five minutes. */
function createIngestSweep(dependencies: SweepDependencies): {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
} {
  return {
    handlers: { [SWEEP_KIND]: { run: (_job, signal) => sweepLostReadings(dependencies, signal) } },
    schedules: [{ name: SWEEP_KIND, pattern: '*/5 * * * *', kind: SWEEP_KIND, payload: {} }],
  }
}

async function sweepLostReadings(dependencies: SweepDependencies, signal: AbortSignal): Promise<void> {
  const { database, clock } = dependencies
  const before = clock.now() - LOST_AFTER_MS
  let after = ''
  for (;;) {
    signal.throwIfAborted()
    const sources = await database.read
      .selectFrom('knowledge_sources')
      .selectAll()
      .where('status', 'in', ['processing', 'refreshing'])
      .where('updated_at', '<=', before)
      .where('source_id', '>', after)
      .orderBy('source_id')
      .limit(SOURCES_PER_BATCH)
      .execute()
    const last = sources.at(-1)
    if (last === undefined) return
    const live = await findReadingsWithJobs(database.read, ['pending', 'running'])
    const failed = await findReadingsWithJobs(database.read, ['failed'])
    for (const source of sources) {
      const reading = formatReadingName(source.source_id, getReadingId(source))
      if (!live.has(reading)) await recoverReading(dependencies, source, failed.has(reading))
    }
    if (sources.length < SOURCES_PER_BATCH) return
    after = last.source_id
  }
}

const formatReadingName = (sourceId: string, readingId: string): string => `${sourceId} ${readingId}`

/** Returns the readings that have a job with one of the statuses. */
async function findReadingsWithJobs(read: Reader, statuses: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await read
    .selectFrom('jobs')
    .select('payload')
    .where('status', 'in', statuses)
    .where('kind', '=', INGEST)
    .execute()
  return new Set(
    rows.map(({ payload }) => {
      const { sourceId, readingId } = readIngestPayload({ payload: JSON.parse(payload) })
      return formatReadingName(sourceId, readingId)
    }),
  )
}

async function recoverReading(
  dependencies: SweepDependencies,
  source: KnowledgeSourceRow,
  hasFailed: boolean,
): Promise<void> {
  try {
    await (hasFailed ? abandonReading(dependencies, source) : restartReading(dependencies, source))
  } catch (error) {
    // The reading has just continued, or the source was deleted.
    if (!(error instanceof BatchConflictError) && !(error instanceof LostClaimError)) throw error
  }
}

async function restartReading({ database, clock, jobs }: SweepDependencies, source: KnowledgeSourceRow): Promise<void> {
  const query = database.compile
    .updateTable('knowledge_sources')
    .set({ updated_at: clock.now() })
    .where('source_id', '=', source.source_id)
    .where('reading_id', '=', source.reading_id)
    .where('status', '=', source.status)
  const job = jobs.buildEnqueueStatement({
    ...buildIngestJob(source.source_id, getReadingId(source)),
    workspaceId: source.workspace_id,
  })
  await database.batch([{ query: query.compile(), expectRows: 1 }, job])
}

async function abandonReading(dependencies: SweepDependencies, source: KnowledgeSourceRow): Promise<void> {
  const now = dependencies.clock.now()
  const claim = await claimSource(dependencies, source, now)
  const failure = { of: 'nothing', message: GIVEN_UP, retryable: false } as const
  const decision = decideFailure(source, failure, { attempt: 1, now })
  if (claim === null || decision.type !== 'finalize') return
  await finalizeSource(dependencies, claim, { changes: decision.changes, found: false })
}

/** Job handlers and recurring jobs that process sources. */
export interface Ingestion {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
}

export function createIngestion(dependencies: IngestionDependencies): Ingestion {
  const sweeps = [createIngestSweep(dependencies), createRefreshJob(dependencies), createVectorSweep(dependencies)]
  return {
    handlers: Object.assign(
      {
        [INGEST]: createIngestHandler(dependencies),
        [CRAWL]: createCrawlHandler(dependencies),
        [EMBED]: createEmbedHandler(dependencies),
      },
      ...sweeps.map(({ handlers }) => handlers),
    ),
    schedules: sweeps.flatMap(({ schedules }) => schedules),
  }
}
