import type { Job, NewJob } from '../../../kernel/work/jobs.ts'

/** Kinds of the jobs that read sources, and what stands in them. */
export const INGEST = 'knowledge-ingest'
export const CRAWL = 'knowledge-crawl'
export const EMBED = 'knowledge-embed'

/** A start counts as an attempt, also when the process dies: that is no fault of the document's. */
const INGEST_STARTS = 30
const CRAWL_STARTS = 10

/** Reads a source that was marked as to be read with that reading. */
export function ingestJob(sourceId: string, readingId: string, runAt?: number): NewJob {
  const payload = { sourceId, readingId }
  return { kind: INGEST, payload, maxAttempts: INGEST_STARTS, ...(runAt !== undefined && { runAt }) }
}

/** Looks for the pages of a site. */
export function crawlJob(knowledgeBaseId: string, path: string): NewJob {
  return { kind: CRAWL, payload: { knowledgeBaseId, path }, maxAttempts: CRAWL_STARTS }
}

/** Makes the vectors that a knowledge base lacks, and removes those that it does not need any more. */
export function embedJob(knowledgeBaseId: string, options: { runAt?: number; failures?: number } = {}): NewJob {
  const { runAt, failures = 0 } = options
  return { kind: EMBED, payload: { knowledgeBaseId, failures }, ...(runAt !== undefined && { runAt }) }
}

export function readIngestPayload({ payload }: Pick<Job, 'payload'>): { sourceId: string; readingId: string } {
  const { sourceId, readingId } = payload as { sourceId?: unknown; readingId?: unknown }
  return { sourceId: String(sourceId), readingId: String(readingId) }
}

export function readCrawlPayload({ payload }: Pick<Job, 'payload'>): { knowledgeBaseId: string; path: string } {
  const { knowledgeBaseId, path } = payload as { knowledgeBaseId?: unknown; path?: unknown }
  return { knowledgeBaseId: String(knowledgeBaseId), path: String(path) }
}

export function readEmbedPayload({ payload }: Pick<Job, 'payload'>): { knowledgeBaseId: string; failures: number } {
  const { knowledgeBaseId, failures } = payload as { knowledgeBaseId?: unknown; failures?: unknown }
  return { knowledgeBaseId: String(knowledgeBaseId), failures: typeof failures === 'number' ? failures : 0 }
}
