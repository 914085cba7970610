import type { NewJob } from '../../../kernel/work/jobs.ts'
import { type Claim, writeClaimed } from '../ingestion/ingest-claim.ts'
import { embedJob } from '../ingestion/ingest-job.ts'
import type { IngestionDependencies } from '../ingestion/ingest-ports.ts'
import { retryDelayMs } from '../ingestion/ingest-retries.ts'
import type { PreparedDocument } from '../knowledge-ports.ts'
import { embedTexts, hasVectors } from './embed-vectors.ts'

/** From then on the rest is embedded by a job of its own: the source is found by words meanwhile. */
const EMBEDDING_MS = 60_000

export interface StagedDocument {
  readonly prepared: PreparedDocument
  /** An attempt before this one had written something. */
  readonly hadLeftovers: boolean
  readonly signal: AbortSignal
}

/** Makes the vectors of what is about to be found; returns the jobs that do what is left of it. */
export async function embedStaged(
  dependencies: IngestionDependencies,
  claim: Claim,
  { prepared, hadLeftovers, signal }: StagedDocument,
): Promise<NewJob[]> {
  const { database, clock, embeddedText } = dependencies
  const { source, base } = claim
  const { knowledge_base_id: knowledgeBaseId } = base
  const outcome = await embedTexts(dependencies, {
    knowledgeBaseId,
    texts: prepared.chunks.map((chunk) => ({
      contentHash: chunk.contentHash,
      text: embeddedText(prepared.title, chunk),
    })),
    signal,
    untilMs: clock.now() + EMBEDDING_MS,
    write: (statements) => writeClaimed(database, claim, statements),
  })
  if (!outcome.complete) {
    const delayMs = outcome.failure === null ? 0 : (outcome.failure.retryAfterMs ?? retryDelayMs(1))
    return [embedJob(knowledgeBaseId, { runAt: clock.now() + delayMs })]
  }
  const canHaveUnused = source.generation > 0 || hadLeftovers
  return canHaveUnused && (await hasVectors(database, knowledgeBaseId)) ? [embedJob(knowledgeBaseId)] : []
}
