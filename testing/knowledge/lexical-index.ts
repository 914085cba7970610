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

/** One lexical index over all passages, like a knowledge base with all documents. */
export function lexicalIndex(
  corpus: readonly CorpusDocument[],
  passages: readonly CorpusPassage[],
): (said: readonly WeightedText[], topK: number) => FoundPassage[] {
  const index = new SearchIndex()
  const places = new Map<string, CorpusPassage>()
  for (const { name, document } of corpus) {
    const own = passages.filter((passage) => passage.document === name)
    index.add(name, buildSegment(own.map(({ chunk }) => ({ ...chunk, title: document.title ?? name }))))
    for (const passage of own) places.set(`${name} ${passage.chunk.position}`, passage)
  }
  return (texts, topK) => {
    return search([index], { texts, vector: null, topK, filterScore: 0 }).flatMap(({ key, position, score }) => {
      const passage = places.get(`${key} ${position}`)
      return passage === undefined ? [] : [{ passage, score }]
    })
  }
}
