import type { Passage } from '@parley/contract/knowledge-passage'
import type { KnowledgeOutcome, KnowledgeRequest, KnowledgeSearch } from '../ports.ts'

/** A search that answers from a script, and what it was asked. */
export interface ScriptedKnowledge {
  readonly search: KnowledgeSearch
  readonly requests: readonly KnowledgeRequest[]
}

/** Each search gets the next outcome; one more than there are fails. */
export function scriptedKnowledge(...outcomes: readonly KnowledgeOutcome[]): ScriptedKnowledge {
  const requests: KnowledgeRequest[] = []
  return {
    requests,
    search: {
      async search(request) {
        requests.push(request)
        return outcomes[requests.length - 1] ?? { ok: false, message: 'This search was not scripted.' }
      },
    },
  }
}

/** Passages as they are found by words. */
export function finds(...passages: readonly Passage[]): KnowledgeOutcome {
  return { ok: true, passages, mode: 'lexical', missing: [] }
}

/** A passage of a price list, changed as told. */
export function passageOf(text: string, fields: Partial<Passage> = {}): Passage {
  return {
    knowledgeBaseId: 'knowledge_base_1',
    sourceId: 'source_1',
    sourceType: 'file',
    sourceName: 'Price list',
    url: null,
    page: null,
    headings: [],
    text,
    score: 0.8,
    mode: 'lexical',
    ...fields,
  }
}
