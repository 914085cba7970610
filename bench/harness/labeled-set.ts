import type { HistoryMessage } from '@parley/engine/dialogue/conversation'
import type { IndexedChunk } from '@parley/retrieval/lexical/build-segment'

/** A document whose passages are searched. */
export interface LabeledSource {
  readonly key: string
  readonly passages: readonly IndexedChunk[]
}

/** A question and the passages that answer it. The list is empty if the documents do not contain the answer. */
export interface LabeledQuestion {
  /** Messages, oldest first. The last message is the user's question. */
  readonly messages: readonly HistoryMessage[]
  readonly correctKeys: ReadonlySet<string>
}

/** Documents and questions with known answers. */
export interface LabeledSet {
  readonly name: string
  readonly sources: readonly LabeledSource[]
  readonly questions: readonly LabeledQuestion[]
}

/** Returns the key of a passage within its set. */
export function toPassageKey(source: string, position: number): string {
  return `${source}#${position}`
}

/** Creates a dialogue message. */
export function createMessage(role: 'user' | 'assistant', content: string): HistoryMessage {
  return role === 'user' ? { role, content } : { role, content, toolCalls: [] }
}
