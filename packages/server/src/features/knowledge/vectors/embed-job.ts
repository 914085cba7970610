import type { Job, JobHandler, NewJob } from '../../../kernel/work/jobs.ts'
import { EMBED, embedJob, readEmbedPayload } from '../ingestion/ingest-job.ts'
import type { IngestionDependencies } from '../ingestion/ingest-ports.ts'
import { removeUnusedVectors } from './embed-cleanup.ts'
import { findUnembedded, readTexts, scanChunks } from './embed-scan.ts'
import { type EmbedOutcome, embedTexts } from './embed-vectors.ts'

/** One run; what is left is done by the next. */
const RUN_MS = 240_000
const TIMEOUT_MS = 480_000
const FIRST_RETRY_MS = 5_000
const MAX_RETRY_MS = 900_000
/** Searches learn of new vectors so often while there are many to make. */
const VECTORS_PER_REVISION = 1_000
/** While sources are read, vectors come whose passages were not there a moment ago: nothing is removed then. */
const CLEANUP_DELAY_MS = 60_000

type EmbedJobDependencies = Pick<
  IngestionDependencies,
  'database' | 'clock' | 'jobs' | 'embedder' | 'embeddedText' | 'logError'
>

/** Makes the vectors that a knowledge base lacks. Those of another model go when all of the present one are there. */
export function createEmbedHandler(dependencies: EmbedJobDependencies): JobHandler {
  const { database, clock, jobs, logError } = dependencies
  return {
    timeoutMs: TIMEOUT_MS,
    async run(job, signal) {
      const { knowledgeBaseId, failures } = readEmbedPayload(job)
      if (await isDoneByOther(dependencies, job, knowledgeBaseId)) return
      const before = await readState(dependencies, knowledgeBaseId)
      if (before === null) return
      const { outcome, used } = await embedAll(dependencies, { knowledgeBaseId, job, signal })
      let next: NewJob | null = null
      if (outcome.complete) {
        const after = await readState(dependencies, knowledgeBaseId)
        if (after === null) return
        const isCurrent = !before.isChanging && !after.isChanging && before.revision === after.revision - outcome.raised
        if (isCurrent) {
          const model = dependencies.embedder?.model ?? null
          await removeUnusedVectors(database, { knowledgeBaseId, used, model }, signal)
        } else next = embedJob(knowledgeBaseId, { runAt: clock.now() + CLEANUP_DELAY_MS })
      } else {
        const { failure } = outcome
        if (failure === null) next = embedJob(knowledgeBaseId)
        else if (failure.retryable) {
          const delayMs = failure.retryAfterMs ?? Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)
          next = embedJob(knowledgeBaseId, { runAt: clock.now() + delayMs, failures: Math.min(failures + 1, 20) })
        } else logError('embed passages', new Error(failure.message))
      }
      if (next !== null) await database.batch([jobs.statement({ ...next, workspaceId: before.workspaceId })])
    },
  }
}

/** Many sources ask for the same work: of several jobs that wait or run, one does it. */
async function isDoneByOther(
  { database }: Pick<EmbedJobDependencies, 'database'>,
  job: Job,
  knowledgeBaseId: string,
): Promise<boolean> {
  const others = await database.read
    .selectFrom('jobs')
    .select(['job_id', 'status', 'payload'])
    .where('status', 'in', ['pending', 'running'])
    .where('kind', '=', EMBED)
    .where('job_id', '<>', job.jobId)
    .execute()
  return others.some(
    ({ job_id, status, payload }) =>
      readEmbedPayload({ payload: JSON.parse(payload) }).knowledgeBaseId === knowledgeBaseId &&
      (status === 'pending' || job_id < job.jobId),
  )
}

interface BaseState {
  readonly workspaceId: number
  readonly revision: number
  /** Sources are being read. */
  readonly isChanging: boolean
}

async function readState(
  { database }: Pick<EmbedJobDependencies, 'database'>,
  knowledgeBaseId: string,
): Promise<BaseState | null> {
  const base = await database.read
    .selectFrom('knowledge_bases')
    .select(['revision', 'workspace_id'])
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .executeTakeFirst()
  if (base === undefined) return null
  const source = await database.read
    .selectFrom('knowledge_sources')
    .select('source_id')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('status', 'in', ['processing', 'refreshing'])
    .limit(1)
    .executeTakeFirst()
  return { workspaceId: base.workspace_id, revision: base.revision, isChanging: source !== undefined }
}

interface EmbedRun {
  readonly knowledgeBaseId: string
  readonly job: Job
  readonly signal: AbortSignal
}

/** `raised`: by how much the revision grew. */
type RunOutcome = EmbedOutcome & { readonly raised: number }

async function embedAll(
  dependencies: EmbedJobDependencies,
  { knowledgeBaseId, job, signal }: EmbedRun,
): Promise<{ readonly outcome: RunOutcome; readonly used: ReadonlySet<string> }> {
  const { database, clock, embedder, embeddedText } = dependencies
  const untilMs = clock.now() + RUN_MS
  const used = new Set<string>()
  // A run that was cut off may have stored vectors that searches do not know of.
  let unannounced = job.attempt > 1 ? 1 : 0
  let raised = 0
  const announce = async (): Promise<void> => {
    if (unannounced === 0) return
    const query = database.compile
      .updateTable('knowledge_bases')
      .set((column) => ({ revision: column('revision', '+', 1) }))
      .where('knowledge_base_id', '=', knowledgeBaseId)
    await database.batch([{ query: query.compile() }])
    unannounced = 0
    raised += 1
  }
  let outcome: EmbedOutcome = { complete: true, added: 0 }
  for await (const window of scanChunks(database, knowledgeBaseId)) {
    signal.throwIfAborted()
    for (const { content_hash } of window.chunks) used.add(content_hash)
    if (embedder === null) continue
    const positions = await findUnembedded(database, { knowledgeBaseId, model: embedder.model }, window)
    const texts = await readTexts(database, window.source, { positions, embeddedText })
    const write = database.batch.bind(database)
    outcome = await embedTexts(dependencies, { knowledgeBaseId, texts, signal, untilMs, write })
    unannounced += outcome.added
    if (!outcome.complete) break
    if (unannounced >= VECTORS_PER_REVISION) await announce()
  }
  await announce()
  return { outcome: { ...outcome, raised }, used }
}
