import { expect, test } from 'vitest'
import { createConceptVectors } from '../../testing/embedding-server/concept-vectors.ts'
import { startEmbeddingServer } from '../../testing/embedding-server/embedding-server.ts'
import { runServer } from '../../testing/running-server.ts'
import { startWebsite } from '../../testing/website-server/website-server.ts'
import { createBase, readBase, readyBase, search } from '../e2e/knowledge/knowledge-test-kit.ts'

const SYNONYMS = [
  ['puncture', 'hole in the tube'],
  ['repaired', 'fix'],
]
const SOURCES = [{ title: 'Workshop', text: 'A puncture is repaired within two hours while you wait.' }]
/** Missing vectors are retried every ten seconds. */
const DEADLINE_MS = 60_000

test('passages get their vectors once the embedding model is back', async () => {
  await using embeddings = await startEmbeddingServer({ createVector: createConceptVectors({ synonyms: SYNONYMS }) })
  const env = { EMBEDDING_MODEL: 'concepts-1', EMBEDDING_BASE_URL: embeddings.baseUrl }
  await using server = await runServer({ env })
  const headers = { 'retry-after': '1' }
  embeddings.setReply({ kind: 'json', status: 503, body: { error: { message: 'Down.' } }, headers })
  const base = await readyBase(server, { sources: SOURCES })
  expect((await search(server, base, 'Within how many hours is a puncture repaired?'))[0]?.mode).toBe('lexical')
  embeddings.setReply(null)
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const [best] = await search(server, base, 'Could someone fix a hole in the tube?')
    if (best?.mode === 'hybrid') return expect(best.sourceName).toBe('Workshop')
    if (Date.now() > deadline) expect.fail(`Not found by meaning in time.\n${server.output}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
})

test('an unresponsive site does not delay other sources', async () => {
  await using website = await startWebsite()
  await using server = await runServer({ env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1' } })
  const paths = Array.from({ length: 30 }, (_, index) => `/${index}`)
  for (const path of paths) website.put(path, { kind: 'hang' })
  const silent = await createBase(server, { sources: paths.map((path) => ({ url: website.url + path })) })
  await website.received(2)
  // Longer than the timeout of one page, but much shorter than the total for all pages.
  const startedAt = Date.now()
  expect((await readyBase(server, { sources: SOURCES })).status).toBe('ready')
  expect(Date.now() - startedAt).toBeLessThan(25_000)
  expect((await readBase(server, silent.knowledgeBaseId)).status).toBe('processing')
})
