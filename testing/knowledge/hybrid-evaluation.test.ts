import { buildSegment } from '@parley/retrieval/lexical/build-segment'
import { search } from '@parley/retrieval/lexical/search'
import { SearchIndex } from '@parley/retrieval/lexical/search-index'
import { readServiceWords } from '@parley/retrieval/service-words/service-words'
import { expect, test } from 'vitest'
import { createQueryEmbedder } from '../../packages/server/src/features/knowledge/retrieval/query-vectors.ts'
import { buildEmbeddingText } from '../../packages/server/src/integrations/documents/embedded-text.ts'
import { createEmbedder } from '../../packages/server/src/integrations/embeddings/embedder.ts'
import { createModelDispatcher } from '../../packages/server/src/integrations/models/model-dispatcher.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { createConceptVectors } from '../embedding-server/concept-vectors.ts'
import { startEmbeddingServer } from '../embedding-server/embedding-server.ts'
import { listPassages } from './corpus-passages.ts'
import { loadCorpus } from './load-corpus.ts'
import { buildWeightedTexts, calculateRecall, formatReport, measureQuestions } from './measure-search.ts'
import { heldOut, tuning, unseen } from './questions.ts'

/** `REPORT_SEARCH=1` prints statistics. */
const wantsReport = process.env['REPORT_SEARCH'] !== undefined

/** Words with the same meaning in all languages, as an embedding model knows them. */
const SYNONYMS = readServiceWords().map((group) => [...group.values()].flat())

test('hybrid search finds the right passage among the first three for four of five questions', async () => {
  await using server = await startEmbeddingServer({
    createVector: createConceptVectors({ synonyms: SYNONYMS, dimensions: 512 }),
  })
  const http = createModelDispatcher()
  const embedder = createEmbedder({
    baseUrl: server.baseUrl,
    apiKey: undefined,
    model: 'concepts',
    http,
    clock: systemClock,
  })
  const signal = AbortSignal.timeout(60_000)
  const corpus = loadCorpus()
  const passages = listPassages(corpus)
  const index = new SearchIndex()
  for (const { name, document } of corpus) {
    const chunks = passages.filter((passage) => passage.document === name).map(({ chunk }) => chunk)
    const title = document.title ?? name
    index.add(name, buildSegment(chunks.map((chunk) => ({ ...chunk, title }))))
    const vectors: Float32Array[] = []
    for (let start = 0; start < chunks.length; start += embedder.batchSize) {
      const texts = chunks.slice(start, start + embedder.batchSize).map((chunk) => buildEmbeddingText(title, chunk))
      const embedded = await embedder.embed(texts, signal)
      if (!embedded.ok) throw new Error(embedded.message)
      vectors.push(...embedded.vectors)
    }
    index.setVectors(name, vectors)
  }
  const queryVectors = createQueryEmbedder({ embedder, clock: systemClock, logError: () => undefined })
  const passagesByKey = new Map(passages.map((passage) => [`${passage.document} ${passage.chunk.position}`, passage]))
  const resultsBySet = await Promise.all(
    [tuning, unseen, heldOut].map(({ answerable }) =>
      measureQuestions(answerable, passages, async (question) => {
        const texts = buildWeightedTexts(question)
        const vector = await queryVectors.embedQuery(texts, signal)
        const hits = search([index], { texts, vector, topK: 10, filterScore: 0 })
        return hits.flatMap(({ key, position }) => passagesByKey.get(`${key} ${position}`) ?? [])
      }),
    ),
  )
  await http.close()
  if (wantsReport) {
    for (const [index, name] of ['tuning', 'unseen', 'held out'].entries()) {
      process.stdout.write(`${formatReport(`with vectors, ${name}`, resultsBySet[index] ?? [], index === 0)}\n`)
    }
  }
  for (const results of resultsBySet) expect(calculateRecall(results, 3)).toBeGreaterThanOrEqual(0.8)
})
