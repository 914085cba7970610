import type { Database } from '../../kernel/storage/database.ts'
import type { JobHandler, JobSchedule } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { purgeNextSource, REMOVE_JOB, REMOVED, removeHiddenBase } from './remove-content.ts'
import { STAGED } from './sources/stage-content.ts'

const SWEEP_JOB = 'sweep-knowledge'
/** Longer than the slowest possible upload. */
const STAGED_TTL_MS = 3_600_000
/** Maximum number of rows per query. The next sweep handles the rest. */
const BATCH_SIZE = 100

interface KnowledgeCleanup {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
}

/** Creates the jobs that delete hidden content and data left by interrupted requests. */
export function createKnowledgeCleanup(dependencies: {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
}): KnowledgeCleanup {
  const { database, clock } = dependencies

  async function purgeRemovedSources(knowledgeBaseId: string, signal: AbortSignal): Promise<void> {
    while (await purgeNextSource(database, knowledgeBaseId)) signal.throwIfAborted()
  }

  return {
    handlers: {
      [REMOVE_JOB]: {
        async run({ payload }, signal) {
          const { knowledgeBaseId } = payload as { knowledgeBaseId?: unknown }
          await purgeRemovedSources(String(knowledgeBaseId), signal)
          await removeHiddenBase(database, String(knowledgeBaseId))
        },
      },
      [SWEEP_JOB]: {
        async run(_job, signal) {
          const cutoff = clock.now() - STAGED_TTL_MS
          for (const sourceId of await findStaleStagedSources(database, cutoff)) {
            signal.throwIfAborted()
            await removeStagedSource(database, sourceId)
          }
          for (const knowledgeBaseId of await findStaleBases(database, cutoff)) {
            await purgeRemovedSources(knowledgeBaseId, signal)
            await removeHiddenBase(database, knowledgeBaseId)
          }
        },
      },
    },
    schedules: [{ name: SWEEP_JOB, pattern: '47 * * * *', kind: SWEEP_JOB, payload: {} }],
  }
}

async function findStaleStagedSources({ read }: Database, cutoff: number): Promise<string[]> {
  const rows = await read
    .selectFrom('knowledge_sources')
    .select('source_id')
    .where('status', '=', STAGED)
    .where('updated_at', '<', cutoff)
    .limit(BATCH_SIZE)
    .execute()
  return rows.map((row) => row.source_id)
}

async function removeStagedSource(database: Database, sourceId: string): Promise<void> {
  const query = database.queryBuilder
    .deleteFrom('knowledge_sources')
    .where('source_id', '=', sourceId)
    .where('status', '=', STAGED)
    .compile()
  await database.batch([{ query }])
}

/** Finds knowledge bases that are being removed or were never completed. */
async function findStaleBases({ read }: Database, cutoff: number): Promise<string[]> {
  const hiddenBases = await read
    .selectFrom('knowledge_bases')
    .select('knowledge_base_id')
    .where('edit_count', '=', 0)
    .where('updated_at', '<', cutoff)
    .limit(BATCH_SIZE)
    .execute()
  const basesWithRemovedSources = await read
    .selectFrom('knowledge_sources')
    .select('knowledge_base_id')
    .distinct()
    .where('status', '=', REMOVED)
    .limit(BATCH_SIZE)
    .execute()
  return [...new Set([...hiddenBases, ...basesWithRemovedSources].map((row) => row.knowledge_base_id))]
}
