import type { Passage } from '@parley/contract/knowledge-passage'
import type { KnowledgeOutcome, KnowledgeRequest, KnowledgeSearch } from '../ports.ts'

/** A scripted search and the requests it received. */
export interface ScriptedKnowledge {
  readonly search: KnowledgeSearch
  readonly requests: readonly KnowledgeRequest[]
}

/** Each search gets the next outcome; further ones fail. */
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

/** Passages found by lexical search. */
export function finds(...passages: readonly Passage[]): KnowledgeOutcome {
  return { ok: true, passages, mode: 'lexical', missing: [] }
}

/** A passage of a price list, plus overrides. */
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
