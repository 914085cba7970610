import { buildSegment } from '@parley/retrieval/lexical/build-segment'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import { search } from '@parley/retrieval/lexical/search'
import { SearchIndex } from '@parley/retrieval/lexical/search-index'
import type { CorpusPassage } from './corpus-passages.ts'
import type { CorpusDocument } from './load-corpus.ts'

/** A passage and its score, 0 to 1. */
export interface FoundPassage {
  readonly passage: CorpusPassage
  readonly score: number
}

/** Creates a search over a lexical index of all passages, like a knowledge base with all documents. */
export function createLexicalIndex(
  corpus: readonly CorpusDocument[],
  passages: readonly CorpusPassage[],
): (said: readonly WeightedText[], topK: number) => FoundPassage[] {
  const index = new SearchIndex()
  const passagesByKey = new Map<string, CorpusPassage>()
  for (const { name, document } of corpus) {
    const documentPassages = passages.filter((passage) => passage.document === name)
    index.add(name, buildSegment(documentPassages.map(({ chunk }) => ({ ...chunk, title: document.title ?? name }))))
    for (const passage of documentPassages) passagesByKey.set(`${name} ${passage.chunk.position}`, passage)
  }
  return (texts, topK) => {
    return search([index], { texts, vector: null, topK, filterScore: 0 }).flatMap(({ key, position, score }) => {
      const passage = passagesByKey.get(`${key} ${position}`)
      return passage === undefined ? [] : [{ passage, score }]
    })
  }
}
