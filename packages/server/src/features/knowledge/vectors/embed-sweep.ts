import type { JobHandler, JobSchedule } from '../../../kernel/work/jobs.ts'
import type { IngestionDependencies } from '../ingestion/ingest-job.ts'
import { buildEmbedJob } from '../ingestion/ingest-job.ts'
import { findUnembeddedPositions, scanChunks } from './embed-scan.ts'

const SWEEP_KIND = 'knowledge-look-for-vectors'
const BASES_PER_BATCH = 100
const TIMEOUT_MS = 1_800_000

type VectorSweepDependencies = Pick<IngestionDependencies, 'database' | 'jobs' | 'embedder'>

/** Creates the recurring job that queues embedding jobs for knowledge bases with missing vectors. */
export function createVectorSweep({ database, jobs, embedder }: VectorSweepDependencies): {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
} {
  const hasMissingVectors = async (knowledgeBaseId: string, signal: AbortSignal): Promise<boolean> => {
    if (embedder === null) return false
    for await (const batch of scanChunks(database, knowledgeBaseId)) {
      signal.throwIfAborted()
      const unembeddedPositions = await findUnembeddedPositions(
        database,
        { knowledgeBaseId, model: embedder.model },
        batch,
      )
      if (unembeddedPositions.length > 0) return true
    }
    return false
  }

  const run: JobHandler['run'] = async (_job, signal) => {
    if (embedder === null) return
    for (let lastId = ''; ; ) {
      const bases = await database.read
        .selectFrom('knowledge_bases')
        .select(['knowledge_base_id', 'workspace_id'])
        .where('knowledge_base_id', '>', lastId)
        .orderBy('knowledge_base_id')
        .limit(BASES_PER_BATCH)
        .execute()
      for (const { knowledge_base_id: id, workspace_id: workspaceId } of bases) {
        if (await hasMissingVectors(id, signal))
          await database.batch([jobs.buildEnqueueStatement({ ...buildEmbedJob(id), workspaceId })])
      }
      const lastBase = bases.at(-1)
      if (lastBase === undefined || bases.length < BASES_PER_BATCH) return
      lastId = lastBase.knowledge_base_id
    }
  }

  return {
    handlers: { [SWEEP_KIND]: { run, timeoutMs: TIMEOUT_MS } },
    schedules: [{ name: SWEEP_KIND, pattern: '7,22,37,52 * * * *', kind: SWEEP_KIND, payload: {} }],
  }
}
