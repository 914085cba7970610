import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createConceptVectors } from '../../../../../testing/embedding-server/concept-vectors.ts'
import {
  type EmbeddingReply,
  type EmbeddingServerOptions,
  startEmbeddingServer,
} from '../../../../../testing/embedding-server/embedding-server.ts'
import { createModelDispatcher } from '../models/model-dispatcher.ts'
import { createTestClock, TEST_KEY } from '../models/model-test-kit.ts'
import { createEmbedder, type EmbedderOptions, readVectors } from './embedder.ts'

const NEVER_ABORTED = new AbortController().signal

async function setUp(server: EmbeddingServerOptions = {}, options: Partial<EmbedderOptions> = {}) {
  const embeddings = await startEmbeddingServer(server)
  const http = createModelDispatcher()
  const clock = createTestClock()
  const { baseUrl } = embeddings
  const embedder = createEmbedder({ baseUrl, apiKey: TEST_KEY, model: 'embed-1', http, clock, ...options })
  return {
    embeddings,
    clock,
    embedder,
    async embedTexts(texts: readonly string[]): Promise<readonly Float32Array[]> {
      const embedded = await embedder.embed(texts, NEVER_ABORTED)
      if (!embedded.ok) throw new Error(embedded.message)
      return embedded.vectors
    },
    async [Symbol.asyncDispose]() {
      await http.destroy()
      await embeddings.close()
    },
  }
}

function computeCosine(left: Float32Array | undefined, right: Float32Array | undefined): number {
  return Array.from(left ?? []).reduce((sum, number, index) => sum + number * (right?.[index] ?? 0), 0)
}

describe('vectors', () => {
  test('have the order of the texts and length 1, with as few requests as possible', async () => {
    await using setup = await setUp({ apiKey: TEST_KEY })
    const texts = Array.from({ length: 130 }, (_, index) => `Text number ${index}`)
    const vectors = await setup.embedTexts(texts)
    const [singleVector] = await setup.embedTexts(['Text number 100'])
    expect(vectors).toHaveLength(130)
    expect(computeCosine(vectors[100], singleVector)).toBeCloseTo(1, 5)
    expect(vectors.every((vector) => Math.abs(computeCosine(vector, vector) - 1) < 1e-5)).toBe(true)
    expect(setup.embeddings.requests.map(({ input }) => input.length)).toEqual([64, 64, 2, 1])
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('are similar for a paraphrase but not for an unrelated text', async () => {
    const synonyms = [
      ['cancel', 'end', 'terminate'],
      ['subscription', 'plan', 'membership'],
    ]
    await using setup = await setUp({ createVector: createConceptVectors({ synonyms }) })
    const [question, paraphrase, unrelated] = await setup.embedTexts([
      'How can I terminate my membership?',
      'Cancel the subscription in the settings',
      'Parking is free on Sundays',
    ])
    expect(computeCosine(question, paraphrase)).toBeGreaterThan(0.6)
    expect(computeCosine(question, unrelated)).toBeLessThan(0.3)
  })

  test('long texts are truncated, many texts are batched, and an empty text is valid', async () => {
    await using setup = await setUp()
    await setup.embedTexts([...Array.from({ length: 20 }, () => 'word '.repeat(4_000)), '', ' \n'])
    const { requests } = setup.embeddings
    expect(requests.map(({ input }) => input.length)).toEqual([12, 10])
    expect(Math.max(...requests.flatMap(({ input }) => input.map((text) => text.length)))).toBe(8_000)
  })

  test('truncation does not split a surrogate pair', async () => {
    await using setup = await setUp()
    await setup.embedTexts([`x${'😀'.repeat(5_000)}`])
    expect(setup.embeddings.requests[0]?.input[0]?.isWellFormed()).toBe(true)
  })

  test('no texts cause no request', async () => {
    await using setup = await setUp()
    expect(await setup.embedTexts([])).toEqual([])
    expect(setup.embeddings.requests).toEqual([])
  })

  test('configured dimensions are requested and are part of the model name', async () => {
    await using setup = await setUp({}, { dimensions: 64 })
    expect((await setup.embedTexts(['Hello']))[0]).toHaveLength(64)
    expect(setup.embedder.model).toBe('embed-1@64')
    setup.embeddings.script({ kind: 'json', body: { data: [{ index: 0, embedding: [3, 4] }] } })
    expect(await setup.embedder.embed(['Hello'], NEVER_ABORTED)).toEqual({
      ok: false,
      message: 'The model returns vectors with 2 dimensions instead of the configured 64.',
      retryable: false,
    })
  })
})

describe('limited providers', () => {
  test('a server without base64 receives only float requests after the first attempt', async () => {
    await using setup = await setUp({ supportsBase64: false })
    const texts = Array.from({ length: 40 }, (_, index) => `Text ${index}`)
    expect(await setup.embedTexts(texts)).toHaveLength(40)
    const sentBatches = setup.embeddings.requests.map(({ encoding, input }) => [encoding, input.length])
    expect(sentBatches).toEqual([
      ['base64', 40],
      ['float', 40],
    ])
    await setup.embedTexts(texts)
    expect(setup.embeddings.requests.slice(2).map(({ input }) => input.length)).toEqual([16, 16, 8])
  })

  test('a server with a small context receives short texts', async () => {
    await using setup = await setUp({ maxCharacters: 2_000 })
    await setup.embedTexts(['short'])
    expect(await setup.embedTexts(['word '.repeat(1_000), 'short'])).toHaveLength(2)
    expect(await setup.embedTexts(['word '.repeat(1_000)])).toHaveLength(1)
    const lengths = setup.embeddings.requests.map(({ input }) => input[0]?.length)
    expect(lengths).toEqual([5, 5_000, 1_500, 1_500])
  })
})

const ELEMENT = { object: 'embedding', index: 0, embedding: [1, 0] }

const FAULTS: readonly (readonly [string, EmbeddingReply, boolean])[] = [
  ['a wrong key', { kind: 'json', status: 401, body: { error: { message: `Wrong key ${TEST_KEY}` } } }, false],
  ['a forbidden model', { kind: 'json', status: 403, body: {} }, false],
  ['an unknown model', { kind: 'json', status: 404, body: { error: { message: 'No such model' } } }, false],
  ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:1/' }, false],
  ['a broken server', { kind: 'json', status: 500, body: {} }, true],
  ['an overloaded proxy', { kind: 'html', status: 503 }, true],
  ['a page instead of JSON', { kind: 'html' }, true],
  ['an empty object', { kind: 'json', body: {} }, true],
  ['a list', { kind: 'json', body: [] }, true],
  ['too few vectors', { kind: 'vectors', alter: (elements) => elements.slice(1) }, true],
  ['too many vectors', { kind: 'vectors', alter: (elements) => [...elements, ELEMENT] }, true],
  [
    'one index twice',
    { kind: 'vectors', alter: (elements) => elements.map((element) => ({ ...element, index: 0 })) },
    true,
  ],
  ['an index out of range', { kind: 'vectors', alter: ([first]) => [first, { ...ELEMENT, index: 1e9 }] }, true],
  ['different lengths', { kind: 'vectors', alter: ([first]) => [first, { ...ELEMENT, index: 1 }] }, true],
  ['text instead of numbers', { kind: 'vectors', alter: () => [{ embedding: ['a'] }, { embedding: ['b'] }] }, true],
  ['null instead of numbers', { kind: 'vectors', alter: () => [{ embedding: [null] }, { embedding: [1] }] }, true],
  ['a zero vector', { kind: 'vectors', alter: () => [{ embedding: [0, 0] }, { embedding: [1, 0] }] }, true],
  ['incomplete base64', { kind: 'vectors', alter: () => [{ embedding: 'AAA=' }, { embedding: 'AAA=' }] }, true],
  ['a closed connection', { kind: 'refuse' }, true],
  ['an interrupted response', { kind: 'cut' }, true],
  ['a response shorter than its declared length', { kind: 'wrong-length' }, true],
  ['invalid HTTP', { kind: 'garbage' }, true],
  ['an endless response', { kind: 'flood', sizeBytes: 40 * 1024 * 1024 }, true],
]

describe('faults', () => {
  test.each(FAULTS)('%s', async (_name, reply, retryable) => {
    await using setup = await setUp()
    setup.embeddings.script(reply)
    const embedded = await setup.embedder.embed(['one', 'two'], NEVER_ABORTED)
    expect(embedded).toMatchObject({ ok: false, retryable })
    expect(JSON.stringify(embedded)).not.toContain(TEST_KEY)
    expect(JSON.stringify(embedded)).not.toContain('127.0.0.1')
    expect(setup.clock.pendingTimers).toBe(0)
    expect(await setup.embedTexts(['one', 'two'])).toHaveLength(2)
  })

  test('the retry delay is returned', async () => {
    await using setup = await setUp()
    setup.embeddings.script({ kind: 'json', status: 429, headers: { 'retry-after': '7' }, body: {} })
    expect(await setup.embedder.embed(['one'], NEVER_ABORTED)).toMatchObject({ retryable: true, retryAfterMs: 7_000 })
  })

  test.each(['hang', 'drip'] as const)('a server that responds like "%s" times out after 30 seconds', async (kind) => {
    await using setup = await setUp()
    setup.embeddings.script({ kind })
    const embedding = setup.embedder.embed(['one'], NEVER_ABORTED)
    await setup.embeddings.received(1)
    setup.clock.advance(30_000)
    expect(await embedding).toMatchObject({ ok: false, retryable: true })
    await setup.embeddings.abandoned()
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('cancelling closes the connection', async () => {
    await using setup = await setUp()
    setup.embeddings.script({ kind: 'hang' })
    const controller = new AbortController()
    const embedding = setup.embedder.embed(['one'], controller.signal)
    await setup.embeddings.received(1)
    controller.abort()
    expect(await embedding).toMatchObject({ ok: false, retryable: true })
    await setup.embeddings.abandoned()
    expect(await setup.embedder.embed(['one'], controller.signal)).toMatchObject({ ok: false })
    expect(setup.embeddings.requests).toHaveLength(1)
  })

  test('an unreachable server and an invalid API key fail', async () => {
    await using setup = await setUp({}, { apiKey: 'line\nbreak' })
    expect(await setup.embedder.embed(['one'], NEVER_ABORTED)).toMatchObject({ ok: false, retryable: false })
    await using closedSetup = await setUp()
    await closedSetup.embeddings.close()
    expect(await closedSetup.embedder.embed(['one'], NEVER_ABORTED)).toMatchObject({ ok: false, retryable: true })
  })

  test('any response leads to vectors of length 1 or a failure', () => {
    const elementArbitrary = fc.record(
      { index: fc.oneof(fc.integer({ min: -1, max: 3 }), fc.anything()), embedding: fc.anything() },
      { requiredKeys: [] },
    )
    const vectorArbitrary = fc.record({ embedding: fc.array(fc.double(), { minLength: 2, maxLength: 2 }) })
    const bodyArbitrary = fc.oneof(
      fc.anything(),
      fc.record({ data: fc.array(fc.oneof(elementArbitrary, vectorArbitrary), { maxLength: 3 }) }),
    )
    fc.assert(
      fc.property(bodyArbitrary, fc.integer({ min: 1, max: 2 }), (body, count) => {
        const result = readVectors(body, count)
        if (!result.ok) return
        expect(result.vectors).toHaveLength(count)
        for (const vector of result.vectors) expect(computeCosine(vector, vector)).toBeCloseTo(1, 3)
      }),
    )
  })
})
