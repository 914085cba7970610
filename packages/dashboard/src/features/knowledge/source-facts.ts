import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import type { Tone } from '../../components/badge.tsx'
import { message } from '../../lib/language.ts'

type Status = KnowledgeSource['status']

/** What a state is called, of a source or a knowledge base. */
export const STATUS_LABELS = {
  processing: message('Being read'),
  refreshing: message('Being read again'),
  ready: message('Ready'),
  error: message('Not readable'),
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

/** Shown in empty fields for addresses of pages. */
export const ADDRESS_BEGINNING = 'https://'

/** Whether something is on its way that changes by itself. */
export const isWorking = (status: Status): boolean => status === 'processing' || status === 'refreshing'

/** What a source is called; null for one without any name. */
export function sourceName({
  title,
  filename,
  url,
}: Pick<KnowledgeSource, 'title' | 'filename' | 'url'>): string | null {
  return [title, filename, url ?? ''].find((name) => name.trim() !== '') ?? null
}

/** What stands below the name: what the source was called where it comes from, unless that is its name already. */
export function sourceOrigin(source: Pick<KnowledgeSource, 'title' | 'filename' | 'url'>): string | null {
  const origin = source.url ?? source.filename
  return origin === '' || origin === sourceName(source) ? null : origin
}

/** An address that a link may lead to; null for everything that is no web page. */
export function webAddress(url: string | null): string | null {
  return url !== null && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null
}

/** Rows with their newest states. */
export function withNewest(
  rows: readonly KnowledgeSource[],
  newest: readonly KnowledgeSource[],
): readonly KnowledgeSource[] {
  const byId = new Map(newest.map((source) => [source.source_id, source]))
  return rows.map((row) => byId.get(row.source_id) ?? row)
}

/** Changes when sources come or go, or when nothing is read any more: then the list is read again. */
export function listingOf({
  sources,
  sourceCount,
  status,
}: Pick<KnowledgeBase, 'sources' | 'sourceCount' | 'status'>): string {
  return `${sourceCount} ${sources[0]?.source_id ?? ''} ${isWorking(status)}`
}

/** How far reading has come, of the sources that are known. */
export function progressOf({ sources }: Pick<KnowledgeBase, 'sources'>): {
  readonly done: number
  readonly total: number
} {
  return { done: sources.filter(({ status }) => !isWorking(status)).length, total: sources.length }
}
