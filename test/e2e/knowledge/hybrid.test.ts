import { expect, test as plainTest } from 'vitest'
import { createConceptVectors } from '../../../testing/embedding-server/concept-vectors.ts'
import { startEmbeddingServer } from '../../../testing/embedding-server/embedding-server.ts'
import { runServer } from '../../../testing/running-server.ts'
import { complete, readChat } from '../../../testing/server-test.ts'
import { createChatOnBases, readyBase, refresh, search, sourceOf } from './knowledge-test-kit.ts'

const SYNONYMS = [
  ['puncture', 'flat tire', 'no air in my wheel', 'hole in the tube'],
  ['repaired', 'mended', 'fix'],
  ['velocipede', 'bicycle', 'bike'],
]

const SOURCES = [
  { title: 'Workshop', text: 'A puncture is repaired within two hours while you wait.' },
  { title: 'Lessons', text: 'Lessons for adults take place on Tuesday evenings in the yard.' },
  { title: 'Rentals', text: 'Cargo trailers are rented out for 35 francs a day.' },
]
/** Shares no word with the passage that answers it. */
const PARAPHRASE = 'Could someone fix a hole in the tube?'

const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('embeddings', { scope: 'file' }, async ({}, { onCleanup }) => {
    const embeddings = await startEmbeddingServer({
      createVector: createConceptVectors({ synonyms: SYNONYMS }),
      apiKey: 'key-of-embeddings',
    })
    onCleanup(() => embeddings.close())
    return embeddings
  })
  .extend('server', { scope: 'file' }, async ({ embeddings }, { onCleanup }) => {
    const env = {
      EMBEDDING_MODEL: 'concepts-1',
      EMBEDDING_BASE_URL: embeddings.baseUrl,
      EMBEDDING_API_KEY: 'key-of-embeddings',
    }
    const server = await runServer({ env: { ...env, ALLOW_PRIVATE_TARGETS: '127.0.0.1' } })
    onCleanup(() => server[Symbol.asyncDispose]())
    return server
  })

test('a passage with the same meaning is found, and each text is embedded once', async ({ server, embeddings }) => {
  const base = await readyBase(server, { sources: SOURCES })
  expect(base.searchMode).toBe('hybrid')
  const found = await search(server, base, PARAPHRASE)
  expect(found[0]).toMatchObject({ sourceName: 'Workshop', mode: 'hybrid' })
  expect(found[0]?.score).toBeGreaterThan(0.3)
  const exact = await search(server, base, 'When do lessons for adults take place?')
  expect(exact[0]).toMatchObject({ sourceName: 'Lessons', mode: 'hybrid' })
  const embedded = embeddings.requests.flatMap(({ input }) => input).filter((text) => text.includes('puncture'))
  expect(embedded).toHaveLength(1)
  expect(new Set(embeddings.requests.map(({ model }) => model))).toEqual(new Set(['concepts-1']))
  // The same passage in another source needs no new embedding.
  const before = embeddings.requests.length
  await refresh(server, base)
  expect(embeddings.requests.length).toBe(before)

  const chatId = await createChatOnBases(server, [base], { kb_config: { top_k: 1 } })
  await complete(server, chatId, PARAPHRASE)
  const { retrievedPassages } = await readChat(server, chatId)
  expect(retrievedPassages).toMatchObject([{ sourceName: 'Workshop', mode: 'hybrid' }])
})

test('without the embedding endpoint sources become ready and keyword search works', async ({ server, embeddings }) => {
  const headers = { 'retry-after': '1' }
  embeddings.setReply({ kind: 'json', status: 503, body: { error: { message: 'Down.' } }, headers })
  const base = await readyBase(server, { sources: SOURCES })
  expect([base.status, base.sources.map(({ status, error }) => [status, error])]).toEqual([
    'ready',
    SOURCES.map(() => ['ready', null]),
  ])
  const found = await search(server, base, 'Within how many hours is a puncture repaired?')
  expect(found[0]).toMatchObject({
    sourceName: 'Workshop',
    mode: 'lexical',
    sourceId: sourceOf(base, 'Workshop').source_id,
  })
  const chatId = await createChatOnBases(server, [base])
  const messages = await complete(server, chatId, 'What do you charge when cargo trailers are rented out?')
  expect(messages.at(-1)?.content).toContain('35 francs')
  embeddings.setReply(null)
})
