import type { HistoryMessage } from '@parley/engine/dialogue/conversation'
import type { IndexedChunk } from '@parley/retrieval/lexical/build-segment'

/** A document whose passages are searched. */
export interface LabeledSource {
  readonly key: string
  readonly passages: readonly IndexedChunk[]
}

/** A question with the passages that answer it; none for a question that the documents leave open. */
export interface LabeledQuestion {
  /** Oldest first; the last message is the user's question. */
  readonly messages: readonly HistoryMessage[]
  readonly right: ReadonlySet<string>
}

/** Documents and questions with known answers. */
export interface LabeledSet {
  readonly name: string
  readonly sources: readonly LabeledSource[]
  readonly questions: readonly LabeledQuestion[]
}

/** Identifies a passage within a set. */
export function passageKey(source: string, position: number): string {
  return `${source}#${position}`
}

/** A message of a dialogue. */
export function messageOf(role: 'user' | 'assistant', content: string): HistoryMessage {
  return role === 'user' ? { role, content } : { role, content, toolCalls: [] }
}
