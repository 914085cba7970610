import type { Database } from '../../../kernel/storage/database.ts'
import type { Job, JobHandler, NewJob } from '../../../kernel/work/jobs.ts'
import type { KnowledgeVectorRow } from '../../../tables/knowledge-tables.ts'
import { type Claim, writeClaimed } from '../ingestion/ingest-claim.ts'
import {
  buildEmbedJob,
  EMBED,
  getRetryDelayMs,
  type IngestionDependencies,
  readEmbedPayload,
} from '../ingestion/ingest-job.ts'
import type { PreparedDocument } from '../knowledge-ports.ts'
import { findUnembeddedPositions, readEmbeddableTexts, scanChunks } from './embed-scan.ts'
import { type EmbedOutcome, embedTexts, hasVectors } from './embed-vectors.ts'

/** Time limit for embedding during ingestion. A separate job embeds the remaining passages. */
const EMBEDDING_MS = 60_000

interface StagedDocument {
  readonly prepared: PreparedDocument
  /** Whether an earlier attempt left unpublished content. */
  readonly hadStaleContent: boolean
  readonly signal: AbortSignal
}

/** Embeds passages before they become searchable. Returns the jobs that embed remaining passages or remove unused vectors. */
export async function embedStagedPassages(
  dependencies: IngestionDependencies,
  claim: Claim,
  { prepared, hadStaleContent, signal }: StagedDocument,
): Promise<NewJob[]> {
  const { database, clock, buildEmbeddingText } = dependencies
  const { source, base } = claim
  const { knowledge_base_id: knowledgeBaseId } = base
  const outcome = await embedTexts(dependencies, {
    knowledgeBaseId,
    texts: prepared.chunks.map((chunk) => ({
      contentHash: chunk.contentHash,
      text: buildEmbeddingText(prepared.title, chunk),
    })),
    signal,
    deadlineMs: clock.now() + EMBEDDING_MS,
    write: (statements) => writeClaimed(database, claim, statements),
  })
  if (!outcome.complete) {
    const delayMs = outcome.failure === null ? 0 : (outcome.failure.retryAfterMs ?? getRetryDelayMs(1))
    return [buildEmbedJob(knowledgeBaseId, { runAt: clock.now() + delayMs })]
  }
  const mayHaveUnusedVectors = source.generation > 0 || hadStaleContent
  return mayHaveUnusedVectors && (await hasVectors(database, knowledgeBaseId)) ? [buildEmbedJob(knowledgeBaseId)] : []
}

const VECTORS_PER_BATCH = 400

interface VectorCleanup {
  readonly knowledgeBaseId: string
  /** Hashes of texts that still exist. */
  readonly usedHashes: ReadonlySet<string>
  /** Model whose vectors are kept, or null to keep the vectors of all models. */
  readonly model: string | null
}

/** Removes unused vectors in small batches. */
async function removeUnusedVectors(
  database: Pick<Database, 'read' | 'queryBuilder' | 'batch'>,
  { knowledgeBaseId, usedHashes, model }: VectorCleanup,
  signal: AbortSignal,
): Promise<void> {
  let lastKey = { model: '', content_hash: '' }
  for (;;) {
    signal.throwIfAborted()
    const keys = await readVectorKeys(database, knowledgeBaseId, lastKey)
    const unusedKeys = keys.filter(
      (row) => !usedHashes.has(row.content_hash) || (model !== null && row.model !== model),
    )
    const statements = [...Map.groupBy(unusedKeys, (row) => row.model)].map(([vectorModel, group]) => ({
      query: database.queryBuilder
        .deleteFrom('knowledge_vectors')
        .where('knowledge_base_id', '=', knowledgeBaseId)
        .where('model', '=', vectorModel)
        .where(
          'content_hash',
          'in',
          group.map(({ content_hash }) => content_hash),
        )
        .compile(),
    }))
    if (statements.length > 0) await database.batch(statements)
    const lastRow = keys.at(-1)
    if (lastRow === undefined || keys.length < VECTORS_PER_BATCH) return
    lastKey = lastRow
  }
}

type VectorKey = Pick<KnowledgeVectorRow, 'model' | 'content_hash'>

async function readVectorKeys(
  { read }: Pick<Database, 'read'>,
  knowledgeBaseId: string,
  lastKey: VectorKey,
): Promise<VectorKey[]> {
  return await read
    .selectFrom('knowledge_vectors')
    .select(['model', 'content_hash'])
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where((where) =>
      where.or([
        where('model', '>', lastKey.model),
        where.and([where('model', '=', lastKey.model), where('content_hash', '>', lastKey.content_hash)]),
      ]),
    )
    .orderBy('model')
    .orderBy('content_hash')
    .limit(VECTORS_PER_BATCH)
    .execute()
}

/** Maximum duration of a run. Another run embeds the remaining passages. */
const RUN_MS = 240_000
const TIMEOUT_MS = 480_000
const FIRST_RETRY_MS = 5_000
const MAX_RETRY_MS = 900_000
/** Number of new vectors after which a revision is published. */
const VECTORS_PER_REVISION = 1_000
/** Delay before the cleanup is retried. Vectors cannot be removed during ingestion, because they are stored before their passages. */
const CLEANUP_DELAY_MS = 60_000

type EmbedJobDependencies = Pick<
  IngestionDependencies,
  'database' | 'clock' | 'jobs' | 'embedder' | 'buildEmbeddingText' | 'logError'
>

/**
 * Creates the job handler that embeds the passages of a knowledge base that have no vector. Removes unused vectors when all
 * passages are embedded.
 */
export function createEmbedHandler(dependencies: EmbedJobDependencies): JobHandler {
  const { database, clock, jobs, logError } = dependencies
  return {
    timeoutMs: TIMEOUT_MS,
    async run(job, signal) {
      const { knowledgeBaseId, failures } = readEmbedPayload(job)
      if (await isHandledByOtherJob(dependencies, job, knowledgeBaseId)) return
      const stateBefore = await readBaseState(dependencies, knowledgeBaseId)
      if (stateBefore === null) return
      const { outcome, usedHashes } = await embedAll(dependencies, { knowledgeBaseId, job, signal })
      let nextJob: NewJob | null = null
      if (outcome.complete) {
        const stateAfter = await readBaseState(dependencies, knowledgeBaseId)
        if (stateAfter === null) return
        const isCurrent =
          !stateBefore.isIngesting &&
          !stateAfter.isIngesting &&
          stateBefore.revision === stateAfter.revision - outcome.publishedRevisionCount
        if (isCurrent) {
          const model = dependencies.embedder?.model ?? null
          await removeUnusedVectors(database, { knowledgeBaseId, usedHashes, model }, signal)
        } else nextJob = buildEmbedJob(knowledgeBaseId, { runAt: clock.now() + CLEANUP_DELAY_MS })
      } else {
        const { failure } = outcome
        if (failure === null) nextJob = buildEmbedJob(knowledgeBaseId)
        else if (failure.retryable) {
          const delayMs = failure.retryAfterMs ?? Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)
          nextJob = buildEmbedJob(knowledgeBaseId, {
            runAt: clock.now() + delayMs,
            failures: Math.min(failures + 1, 20),
          })
        } else logError('embed passages', new Error(failure.message))
      }
      if (nextJob !== null)
        await database.batch([jobs.buildEnqueueStatement({ ...nextJob, workspaceId: stateBefore.workspaceId })])
    },
  }
}

/** Whether another pending or running job embeds the same knowledge base. */
async function isHandledByOtherJob(
  { database }: Pick<EmbedJobDependencies, 'database'>,
  job: Job,
  knowledgeBaseId: string,
): Promise<boolean> {
  const otherJobs = await database.read
    .selectFrom('jobs')
    .select(['job_id', 'status', 'payload'])
    .where('status', 'in', ['pending', 'running'])
    .where('kind', '=', EMBED)
    .where('job_id', '<>', job.jobId)
    .execute()
  return otherJobs.some(
    ({ job_id, status, payload }) =>
      readEmbedPayload({ payload: JSON.parse(payload) }).knowledgeBaseId === knowledgeBaseId &&
      (status === 'pending' || job_id < job.jobId),
  )
}

interface BaseState {
  readonly workspaceId: number
  readonly revision: number
  readonly isIngesting: boolean
}

async function readBaseState(
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
  return { workspaceId: base.workspace_id, revision: base.revision, isIngesting: source !== undefined }
}

interface EmbedRun {
  readonly knowledgeBaseId: string
  readonly job: Job
  readonly signal: AbortSignal
}

type RunOutcome = EmbedOutcome & { readonly publishedRevisionCount: number }

async function embedAll(
  dependencies: EmbedJobDependencies,
  { knowledgeBaseId, job, signal }: EmbedRun,
): Promise<{ readonly outcome: RunOutcome; readonly usedHashes: ReadonlySet<string> }> {
  const { database, clock, embedder, buildEmbeddingText } = dependencies
  const deadlineMs = clock.now() + RUN_MS
  const usedHashes = new Set<string>()
  // An interrupted run may have stored vectors without publishing a revision.
  let unpublishedVectorCount = job.attempt > 1 ? 1 : 0
  let publishedRevisionCount = 0
  const publishRevision = async (): Promise<void> => {
    if (unpublishedVectorCount === 0) return
    const query = database.queryBuilder
      .updateTable('knowledge_bases')
      .set((column) => ({ revision: column('revision', '+', 1) }))
      .where('knowledge_base_id', '=', knowledgeBaseId)
    await database.batch([{ query: query.compile() }])
    unpublishedVectorCount = 0
    publishedRevisionCount += 1
  }
  let outcome: EmbedOutcome = { complete: true, addedCount: 0 }
  for await (const batch of scanChunks(database, knowledgeBaseId)) {
    signal.throwIfAborted()
    for (const { content_hash } of batch.chunks) usedHashes.add(content_hash)
    if (embedder === null) continue
    const positions = await findUnembeddedPositions(database, { knowledgeBaseId, model: embedder.model }, batch)
    const texts = await readEmbeddableTexts(database, batch.source, { positions, buildEmbeddingText })
    const write = database.batch.bind(database)
    outcome = await embedTexts(dependencies, { knowledgeBaseId, texts, signal, deadlineMs, write })
    unpublishedVectorCount += outcome.addedCount
    if (!outcome.complete) break
    if (unpublishedVectorCount >= VECTORS_PER_REVISION) await publishRevision()
  }
  await publishRevision()
  return { outcome: { ...outcome, publishedRevisionCount }, usedHashes }
}
