import type { IndexedChunk } from '@parley/retrieval/lexical/build-segment'
import type { IndexHit, IndexQuery } from '@parley/retrieval/lexical/search'
import type { Changed, SegmentParts, VectorPage } from '../../features/knowledge/public.ts'

/** What the thread is asked for. */
export type IndexRequest =
  | { readonly kind: 'add'; readonly base: string; readonly segments: readonly SegmentParts[] }
  | { readonly kind: 'build'; readonly base: string; readonly key: string; readonly chunks: readonly IndexedChunk[] }
  | { readonly kind: 'vectors'; readonly base: string; readonly page: VectorPage }
  | { readonly kind: 'remove'; readonly base: string; readonly keys: readonly string[] }
  | { readonly kind: 'drop'; readonly base: string }
  | { readonly kind: 'search'; readonly bases: readonly string[]; readonly query: IndexQuery }

export type IndexAnswer = Changed | readonly IndexHit[]

/** A request on its way; the number tells its answer from others. */
export interface IndexRequestMessage {
  readonly number: number
  readonly request: IndexRequest
}

/** What came of a request; `error` is the message of what it threw. */
export type IndexAnswerMessage =
  | { readonly number: number; readonly answer: IndexAnswer }
  | { readonly number: number; readonly error: string }
