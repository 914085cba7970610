import type { KnowledgeBaseStatus } from '@parley/contract/knowledge-base'

/** How many sources of a knowledge base are in each status, and how many of all can be found. */
export interface SourceCounts {
  readonly processing: number
  readonly refreshing: number
  readonly ready: number
  readonly error: number
  /** Whatever their status: answers come from what was read before. */
  readonly usable: number
  /** Passages that can be found. */
  readonly chunks: number
}

export const NO_SOURCES: SourceCounts = { processing: 0, refreshing: 0, ready: 0, error: 0, usable: 0, chunks: 0 }

/** The status of a knowledge base follows from its sources: what is under way comes before what has failed. */
export function decideStatus({ processing, refreshing, error, usable }: SourceCounts): KnowledgeBaseStatus {
  if (processing > 0) return 'processing'
  if (refreshing > 0) return 'refreshing'
  return usable === 0 && error > 0 ? 'error' : 'ready'
}

/** How many sources there are. */
export function countSources({ processing, refreshing, ready, error }: SourceCounts): number {
  return processing + refreshing + ready + error
}
