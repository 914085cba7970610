import type { MakeId } from '@parley/engine/ports'
import type { Chunk } from '@parley/retrieval/chunk'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Job, JobQueue, NewJob } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import type { DocumentPreparer, Embedder, WebPageFetcher } from '../knowledge-ports.ts'

/** Interval between fetches from the same site. Matches the rate limit per site. */
export const PAGE_INTERVAL_MS = 250

/** Maximum number of attempts after temporary failures, including the first. */
export const MAX_PAGE_ATTEMPTS = 5
export const MAX_DOCUMENT_ATTEMPTS = 3

const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000] as const
const LATER_RETRY_MS = 600_000

/** Returns the backoff after a failed attempt. */
export function getRetryDelayMs(attempt: number): number {
  return RETRY_DELAYS_MS[attempt - 1] ?? LATER_RETRY_MS
}

export const INGEST = 'knowledge-ingest'
export const CRAWL = 'knowledge-crawl'
export const EMBED = 'knowledge-embed'

/** Maximum number of job starts, including starts that end with a process crash. */
const MAX_INGEST_STARTS = 30
const MAX_CRAWL_STARTS = 10

/** Builds the job that ingests a source in the given run. */
export function buildIngestJob(sourceId: string, runId: string, runAt?: number): NewJob {
  const payload = { sourceId, readingId: runId }
  return { kind: INGEST, payload, maxAttempts: MAX_INGEST_STARTS, ...(runAt !== undefined && { runAt }) }
}

/** Builds the job that finds the pages of a site. */
export function buildCrawlJob(knowledgeBaseId: string, path: string): NewJob {
  return { kind: CRAWL, payload: { knowledgeBaseId, path }, maxAttempts: MAX_CRAWL_STARTS }
}

/** Builds the job that creates missing vectors of a knowledge base and removes unused ones. */
export function buildEmbedJob(knowledgeBaseId: string, options: { runAt?: number; failures?: number } = {}): NewJob {
  const { runAt, failures = 0 } = options
  return { kind: EMBED, payload: { knowledgeBaseId, failures }, ...(runAt !== undefined && { runAt }) }
}

export function readIngestPayload({ payload }: Pick<Job, 'payload'>): { sourceId: string; runId: string } {
  const { sourceId, readingId } = payload as { sourceId?: unknown; readingId?: unknown }
  return { sourceId: String(sourceId), runId: String(readingId) }
}

export function readCrawlPayload({ payload }: Pick<Job, 'payload'>): { knowledgeBaseId: string; path: string } {
  const { knowledgeBaseId, path } = payload as { knowledgeBaseId?: unknown; path?: unknown }
  return { knowledgeBaseId: String(knowledgeBaseId), path: String(path) }
}

export function readEmbedPayload({ payload }: Pick<Job, 'payload'>): { knowledgeBaseId: string; failures: number } {
  const { knowledgeBaseId, failures } = payload as { knowledgeBaseId?: unknown; failures?: unknown }
  return { knowledgeBaseId: String(knowledgeBaseId), failures: typeof failures === 'number' ? failures : 0 }
}

/** Builds the text to embed for a passage from its title, headings and text. */
export type EmbeddingTextBuilder = (title: string, chunk: Pick<Chunk, 'headings' | 'text'>) => string

export interface IngestionDependencies {
  readonly database: Database
  /** Clock that is synchronized between nodes. */
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
  readonly jobs: JobQueue
  readonly documents: DocumentPreparer
  readonly pages: WebPageFetcher
  /** Embedding model, or null if none is configured. */
  readonly embedder: Embedder | null
  readonly buildEmbeddingText: EmbeddingTextBuilder
  readonly webhooks: Pick<WebhookEvents, 'buildStatements'>
  readonly logError: (name: string, error: unknown) => void
}
