import type { Database } from '../../kernel/storage/database.ts'
import type { JobHandler, JobSchedule } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { purgeNextSource, REMOVE_JOB, REMOVED, removeHiddenBase } from './remove-content.ts'
import { STAGED } from './sources/stage-content.ts'

const SWEEP_JOB = 'sweep-knowledge'
/** Longer than any request writes content. */
const STAGED_TTL_MS = 3_600_000
/** Looked at by one sweep; the next one goes on. */
const BATCH_SIZE = 100

export interface KnowledgeCleanup {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
}

/** Removes in small steps what was set aside, and what requests left behind that were cut short. */
export function createKnowledgeCleanup(dependencies: {
  readonly database: Database
  readonly clock: Omit<SharedClock, 'after'>
}): KnowledgeCleanup {
  const { database, clock } = dependencies

  async function purgeRemoved(knowledgeBaseId: string, signal: AbortSignal): Promise<void> {
    while (await purgeNextSource(database, knowledgeBaseId)) signal.throwIfAborted()
  }

  return {
    handlers: {
      [REMOVE_JOB]: {
        async run({ payload }, signal) {
          const { knowledgeBaseId } = payload as { knowledgeBaseId?: unknown }
          await purgeRemoved(String(knowledgeBaseId), signal)
          await removeHiddenBase(database, String(knowledgeBaseId))
        },
      },
      [SWEEP_JOB]: {
        async run(_job, signal) {
          const before = clock.now() - STAGED_TTL_MS
          for (const sourceId of await findLeftoverSources(database, before)) {
            signal.throwIfAborted()
            await removeStaged(database, sourceId)
          }
          for (const knowledgeBaseId of await findLeftoverBases(database, before)) {
            await purgeRemoved(knowledgeBaseId, signal)
            await removeHiddenBase(database, knowledgeBaseId)
          }
        },
      },
    },
    schedules: [{ name: SWEEP_JOB, pattern: '47 * * * *', kind: SWEEP_JOB, payload: {} }],
  }
}

async function findLeftoverSources({ read }: Database, before: number): Promise<string[]> {
  const rows = await read
    .selectFrom('knowledge_sources')
    .select('source_id')
    .where('status', '=', STAGED)
    .where('updated_at', '<', before)
    .limit(BATCH_SIZE)
    .execute()
  return rows.map((row) => row.source_id)
}

async function removeStaged(database: Database, sourceId: string): Promise<void> {
  const query = database.compile
    .deleteFrom('knowledge_sources')
    .where('source_id', '=', sourceId)
    .where('status', '=', STAGED)
    .compile()
  await database.batch([{ query }])
}

/** Knowledge bases with something that is on its way out or never came in. */
async function findLeftoverBases({ read }: Database, before: number): Promise<string[]> {
  const hidden = await read
    .selectFrom('knowledge_bases')
    .select('knowledge_base_id')
    .where('edit_count', '=', 0)
    .where('updated_at', '<', before)
    .limit(BATCH_SIZE)
    .execute()
  const withRemoved = await read
    .selectFrom('knowledge_sources')
    .select('knowledge_base_id')
    .distinct()
    .where('status', '=', REMOVED)
    .limit(BATCH_SIZE)
    .execute()
  return [...new Set([...hidden, ...withRemoved].map((row) => row.knowledge_base_id))]
}
