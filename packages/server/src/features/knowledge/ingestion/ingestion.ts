import { BatchConflictError, type Reader } from '../../../kernel/storage/database.ts'
import type { JobHandler, JobSchedule } from '../../../kernel/work/jobs.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { createCrawlHandler } from '../crawling/crawl-job.ts'
import { createEmbedHandler } from '../vectors/embed-job.ts'
import { createVectorSweep } from '../vectors/embed-sweep.ts'
import { claimSource, getRunId, LostClaimError } from './ingest-claim.ts'
import { decideFailure } from './ingest-decide.ts'
import { finalizeSource } from './ingest-finalize.ts'
import { buildIngestJob, CRAWL, EMBED, INGEST, type IngestionDependencies, readIngestPayload } from './ingest-job.ts'
import { createIngestHandler } from './ingest-source.ts'
import { refreshBase } from './refresh-base.ts'

const REFRESH_KIND = 'knowledge-refresh-due'
const BASES_PER_BATCH = 50

type RefreshDueDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'makeId' | 'jobs'>

/** Creates the recurring job that starts due refreshes. */
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
      const dueBases = await database.read
        .selectFrom('knowledge_bases')
        .select('knowledge_base_id')
        .where('refresh_due_at', '<=', now)
        .where('edit_count', '>', 0)
        .orderBy('refresh_due_at')
        .orderBy('knowledge_base_id')
        .limit(BASES_PER_BATCH)
        .execute()
      for (const { knowledge_base_id } of dueBases) await refresh(knowledge_base_id, now)
      if (dueBases.length < BASES_PER_BATCH) return
    }
  }

  return {
    handlers: { [REFRESH_KIND]: { run } },
    schedules: [{ name: REFRESH_KIND, pattern: '1-59/3 * * * *', kind: REFRESH_KIND, payload: {} }],
  }
}

const SWEEP_KIND = 'knowledge-look-for-lost-sources'
/** Longer than any interval between updates in an active run. */
const LOST_AFTER_MS = 900_000
const SOURCES_PER_BATCH = 200
const INTERRUPTED_MESSAGE = 'Reading the source was interrupted repeatedly. Refresh the knowledge base to try again.'

type SweepDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'makeId' | 'jobs' | 'webhooks'>

/** Creates the recurring job that restarts ingestion runs whose job was lost, and ends runs whose job failed. */
function createIngestSweep(dependencies: SweepDependencies): {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
} {
  return {
    handlers: { [SWEEP_KIND]: { run: (_job, signal) => recoverLostSources(dependencies, signal) } },
    schedules: [{ name: SWEEP_KIND, pattern: '*/5 * * * *', kind: SWEEP_KIND, payload: {} }],
  }
}

async function recoverLostSources(dependencies: SweepDependencies, signal: AbortSignal): Promise<void> {
  const { database, clock } = dependencies
  const cutoff = clock.now() - LOST_AFTER_MS
  let lastId = ''
  for (;;) {
    signal.throwIfAborted()
    const sources = await database.read
      .selectFrom('knowledge_sources')
      .selectAll()
      .where('status', 'in', ['processing', 'refreshing'])
      .where('updated_at', '<=', cutoff)
      .where('source_id', '>', lastId)
      .orderBy('source_id')
      .limit(SOURCES_PER_BATCH)
      .execute()
    const lastSource = sources.at(-1)
    if (lastSource === undefined) return
    const activeRunKeys = await findRunKeysByJobStatus(database.read, ['pending', 'running'])
    const failedRunKeys = await findRunKeysByJobStatus(database.read, ['failed'])
    for (const source of sources) {
      const runKey = formatRunKey(source.source_id, getRunId(source))
      if (!activeRunKeys.has(runKey)) await recoverSource(dependencies, source, failedRunKeys.has(runKey))
    }
    if (sources.length < SOURCES_PER_BATCH) return
    lastId = lastSource.source_id
  }
}

const formatRunKey = (sourceId: string, runId: string): string => `${sourceId} ${runId}`

/** Returns the keys of ingestion runs whose job has one of the statuses. */
async function findRunKeysByJobStatus(read: Reader, statuses: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await read
    .selectFrom('jobs')
    .select('payload')
    .where('status', 'in', statuses)
    .where('kind', '=', INGEST)
    .execute()
  return new Set(
    rows.map(({ payload }) => {
      const { sourceId, runId } = readIngestPayload({ payload: JSON.parse(payload) })
      return formatRunKey(sourceId, runId)
    }),
  )
}

async function recoverSource(
  dependencies: SweepDependencies,
  source: KnowledgeSourceRow,
  hasFailed: boolean,
): Promise<void> {
  try {
    await (hasFailed ? abandonIngestion(dependencies, source) : restartIngestion(dependencies, source))
  } catch (error) {
    // The run has resumed, or the source was deleted.
    if (!(error instanceof BatchConflictError) && !(error instanceof LostClaimError)) throw error
  }
}

async function restartIngestion(
  { database, clock, jobs }: SweepDependencies,
  source: KnowledgeSourceRow,
): Promise<void> {
  const query = database.queryBuilder
    .updateTable('knowledge_sources')
    .set({ updated_at: clock.now() })
    .where('source_id', '=', source.source_id)
    .where('reading_id', '=', source.reading_id)
    .where('status', '=', source.status)
  const job = jobs.buildEnqueueStatement({
    ...buildIngestJob(source.source_id, getRunId(source)),
    workspaceId: source.workspace_id,
  })
  await database.batch([{ query: query.compile(), expectRows: 1 }, job])
}

async function abandonIngestion(dependencies: SweepDependencies, source: KnowledgeSourceRow): Promise<void> {
  const now = dependencies.clock.now()
  const claim = await claimSource(dependencies, source, now)
  const failure = { kind: 'source', message: INTERRUPTED_MESSAGE, retryable: false } as const
  const decision = decideFailure(source, failure, { attempt: 1, now })
  if (claim === null || decision.type !== 'finalize') return
  await finalizeSource(dependencies, claim, { changes: decision.changes, affectsSearch: false })
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
