import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { readChoice, removeUndefined } from '../../parts/transcript/search-params.ts'

/** The tabs of a knowledge base; the first is the default. */
export const BASE_TABS = ['sources', 'ask', 'settings'] as const
export type BaseTab = (typeof BASE_TABS)[number]

/** A copy, because importing the list from the contract would add its schemas to the bundle. */
export const SOURCE_STATUSES = [
  'processing',
  'ready',
  'refreshing',
  'error',
] as const satisfies readonly KnowledgeSource['status'][]

/** The tab and filter of a knowledge base in the URL. */
export interface BaseSearch {
  readonly tab?: BaseTab
  readonly status?: KnowledgeSource['status']
}

export function readBaseSearch({ tab, status }: Readonly<Record<string, unknown>>): BaseSearch {
  return removeUndefined({ tab: readChoice(tab, BASE_TABS), status: readChoice(status, SOURCE_STATUSES) })
}
