import type { KnowledgeSource } from '@parley/contract/knowledge-source'

/** Parts of the page of a knowledge base; the first one is shown where the address names none. */
export const BASE_TABS = ['sources', 'ask', 'settings'] as const
export type BaseTab = (typeof BASE_TABS)[number]

/** States that sources can be looked for by. */
export const SOURCE_STATUSES = [
  'processing',
  'ready',
  'refreshing',
  'error',
] as const satisfies readonly KnowledgeSource['status'][]

/** What the address of a knowledge base says beside its id. */
export interface BaseSearch {
  readonly tab?: BaseTab
  /** Only sources in this state. */
  readonly status?: KnowledgeSource['status']
}

/** Reads the address; words that mean nothing are left out. */
export function readBaseSearch({ tab, status }: Readonly<Record<string, unknown>>): BaseSearch {
  const knownTab = BASE_TABS.find((name) => name === tab)
  const knownStatus = SOURCE_STATUSES.find((name) => name === status)
  return {
    ...(knownTab !== undefined && { tab: knownTab }),
    ...(knownStatus !== undefined && { status: knownStatus }),
  }
}
