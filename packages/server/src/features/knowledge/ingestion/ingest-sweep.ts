import { BatchConflictError, type Reader } from '../../../kernel/storage/database.ts'
import type { JobHandler, JobSchedule } from '../../../kernel/work/jobs.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { claimSource, LostClaimError, readingOf } from './ingest-claim.ts'
import { decideFailure } from './ingest-decide.ts'
import { finalizeSource } from './ingest-finalize.ts'
import { INGEST, ingestJob, readIngestPayload } from './ingest-job.ts'
import type { IngestionDependencies } from './ingest-ports.ts'

const KIND = 'knowledge-look-for-lost-sources'
/** Longer than anything waits between two steps of a reading whose job lives. */
const LOST_AFTER_MS = 900_000
const SOURCES_PER_BATCH = 200
const GIVEN_UP = 'Reading it was broken off again and again. Refresh the knowledge base to try once more.'

type SweepDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'makeId' | 'jobs' | 'webhooks'>

/** Every five minutes: no source stays on its way for ever because its job was lost or has failed for good. */
export function createIngestSweep(dependencies: SweepDependencies): {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
} {
  return {
    handlers: { [KIND]: { run: (_job, signal) => sweep(dependencies, signal) } },
    schedules: [{ name: KIND, pattern: '*/5 * * * *', kind: KIND, payload: {} }],
  }
}

async function sweep(dependencies: SweepDependencies, signal: AbortSignal): Promise<void> {
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
    const live = await readReadings(database.read, ['pending', 'running'])
    const failed = await readReadings(database.read, ['failed'])
    for (const source of sources) {
      const reading = nameOf(source.source_id, readingOf(source))
      if (!live.has(reading)) await recover(dependencies, source, failed.has(reading))
    }
    if (sources.length < SOURCES_PER_BATCH) return
    after = last.source_id
  }
}

const nameOf = (sourceId: string, readingId: string): string => `${sourceId} ${readingId}`

/** Readings that have a job with one of the statuses. */
async function readReadings(read: Reader, statuses: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await read
    .selectFrom('jobs')
    .select('payload')
    .where('status', 'in', statuses)
    .where('kind', '=', INGEST)
    .execute()
  return new Set(
    rows.map(({ payload }) => {
      const { sourceId, readingId } = readIngestPayload({ payload: JSON.parse(payload) })
      return nameOf(sourceId, readingId)
    }),
  )
}

async function recover(dependencies: SweepDependencies, source: KnowledgeSourceRow, hasFailed: boolean): Promise<void> {
  try {
    await (hasFailed ? giveUp(dependencies, source) : readAgain(dependencies, source))
  } catch (error) {
    // It has just gone on, or is gone.
    if (!(error instanceof BatchConflictError) && !(error instanceof LostClaimError)) throw error
  }
}

async function readAgain({ database, clock, jobs }: SweepDependencies, source: KnowledgeSourceRow): Promise<void> {
  const query = database.compile
    .updateTable('knowledge_sources')
    .set({ updated_at: clock.now() })
    .where('source_id', '=', source.source_id)
    .where('reading_id', '=', source.reading_id)
    .where('status', '=', source.status)
  const job = jobs.statement({ ...ingestJob(source.source_id, readingOf(source)), workspaceId: source.workspace_id })
  await database.batch([{ query: query.compile(), expectRows: 1 }, job])
}

async function giveUp(dependencies: SweepDependencies, source: KnowledgeSourceRow): Promise<void> {
  const now = dependencies.clock.now()
  const claim = await claimSource(dependencies, source, now)
  const failure = { of: 'nothing', message: GIVEN_UP, retryable: false } as const
  const decision = decideFailure(source, failure, { attempt: 1, now })
  if (claim === null || decision.type !== 'finalize') return
  await finalizeSource(dependencies, claim, { changes: decision.changes, found: false })
}
