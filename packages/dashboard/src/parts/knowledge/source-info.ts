import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import type { Tone } from '../../components/badge.tsx'
import { message } from '../../lib/language.ts'

type Status = KnowledgeSource['status']

/** Status labels of sources and knowledge bases, as catalog messages. */
export const STATUS_LABELS = {
  processing: message('Processing'),
  refreshing: message('Refreshing'),
  ready: message('Ready'),
  error: message('Failed'),
} as const satisfies Readonly<Record<Status, string>>

export const STATUS_TONES = {
  processing: 'brand',
  refreshing: 'brand',
  ready: 'good',
  error: 'bad',
} as const satisfies Readonly<Record<Status, Tone>>

export const TYPE_LABELS = {
  text: message('Text'),
  url: message('Page'),
  file: message('File'),
} as const satisfies Readonly<Record<KnowledgeSource['source_type'], string>>

export const URL_PLACEHOLDER = 'https://'

/** Polling interval for processing progress. */
export const PROGRESS_POLL_MS = 2_000

export const isProcessing = (status: Status): boolean => status === 'processing' || status === 'refreshing'

/** Returns the name of a source, or null if the source has no name. */
export function getSourceName({
  title,
  filename,
  url,
}: Pick<KnowledgeSource, 'title' | 'filename' | 'url'>): string | null {
  return [title, filename, url ?? ''].find((name) => name.trim() !== '') ?? null
}

/** Returns the URL or file name of a source, or null if it is the same as the source name. */
export function getSourceOrigin(source: Pick<KnowledgeSource, 'title' | 'filename' | 'url'>): string | null {
  const origin = source.url ?? source.filename
  return origin === '' || origin === getSourceName(source) ? null : origin
}

/** Returns a URL that is safe to link, or null for unsupported schemes. */
export function toWebLink(url: string | null): string | null {
  return url !== null && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null
}

/** Replaces sources with their latest state. */
export function mergeLatest(
  rows: readonly KnowledgeSource[],
  latest: readonly KnowledgeSource[],
): readonly KnowledgeSource[] {
  const latestById = new Map(latest.map((source) => [source.source_id, source]))
  return rows.map((row) => latestById.get(row.source_id) ?? row)
}

/** Builds a key that changes when sources are added or removed, or when processing starts or ends. */
export function buildListingKey({
  sources,
  sourceCount,
  status,
}: Pick<KnowledgeBase, 'sources' | 'sourceCount' | 'status'>): string {
  return `${sourceCount} ${sources[0]?.source_id ?? ''} ${isProcessing(status)}`
}

export function calculateProgress({ sources }: Pick<KnowledgeBase, 'sources'>): {
  readonly done: number
  readonly total: number
} {
  return { done: sources.filter(({ status }) => !isProcessing(status)).length, total: sources.length }
}
