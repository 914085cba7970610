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

const NEVER = new AbortController().signal

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
    async vectors(texts: readonly string[]): Promise<readonly Float32Array[]> {
      const embedded = await embedder.embed(texts, NEVER)
      if (!embedded.ok) throw new Error(embedded.message)
      return embedded.vectors
    },
    async [Symbol.asyncDispose]() {
      await http.destroy()
      await embeddings.close()
    },
  }
}

function cosine(left: Float32Array | undefined, right: Float32Array | undefined): number {
  return Array.from(left ?? []).reduce((sum, number, index) => sum + number * (right?.[index] ?? 0), 0)
}

describe('vectors', () => {
  test('come in the order of the texts, of length 1, from as few requests as the limits allow', async () => {
    await using setup = await setUp({ apiKey: TEST_KEY })
    const texts = Array.from({ length: 130 }, (_, index) => `Text number ${index}`)
    const vectors = await setup.vectors(texts)
    const [alone] = await setup.vectors(['Text number 100'])
    expect(vectors).toHaveLength(130)
    expect(cosine(vectors[100], alone)).toBeCloseTo(1, 5)
    expect(vectors.every((vector) => Math.abs(cosine(vector, vector) - 1) < 1e-5)).toBe(true)
    expect(setup.embeddings.requests.map(({ input }) => input.length)).toEqual([64, 64, 2, 1])
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('say what is meant: a paraphrase is near, something else is not', async () => {
    const synonyms = [
      ['cancel', 'end', 'terminate'],
      ['subscription', 'plan', 'membership'],
    ]
    await using setup = await setUp({ vectorOf: createConceptVectors({ synonyms }) })
    const [asked, meant, other] = await setup.vectors([
      'How can I terminate my membership?',
      'Cancel the subscription in the settings',
      'Parking is free on Sundays',
    ])
    expect(cosine(asked, meant)).toBeGreaterThan(0.6)
    expect(cosine(asked, other)).toBeLessThan(0.3)
  })

  test('long texts are cut, many are sent in several requests, an empty one is valid', async () => {
    await using setup = await setUp()
    await setup.vectors([...Array.from({ length: 20 }, () => 'word '.repeat(4_000)), '', ' \n'])
    const { requests } = setup.embeddings
    expect(requests.map(({ input }) => input.length)).toEqual([12, 10])
    expect(Math.max(...requests.flatMap(({ input }) => input.map((text) => text.length)))).toBe(8_000)
  })

  test('a pair of surrogates is not cut in two', async () => {
    await using setup = await setUp()
    await setup.vectors([`x${'😀'.repeat(5_000)}`])
    expect(setup.embeddings.requests[0]?.input[0]?.isWellFormed()).toBe(true)
  })

  test('no texts need no request', async () => {
    await using setup = await setUp()
    expect(await setup.vectors([])).toEqual([])
    expect(setup.embeddings.requests).toEqual([])
  })

  test('a configured length is asked for and is part of the name', async () => {
    await using setup = await setUp({}, { dimensions: 64 })
    expect((await setup.vectors(['Hello']))[0]).toHaveLength(64)
    expect(setup.embedder.model).toBe('embed-1@64')
    setup.embeddings.script({ kind: 'json', body: { data: [{ index: 0, embedding: [3, 4] }] } })
    expect(await setup.embedder.embed(['Hello'], NEVER)).toEqual({
      ok: false,
      message: 'The model returns vectors with 2 dimensions instead of the configured 64.',
      retryable: false,
    })
  })
})

describe('what a provider does not understand', () => {
  test('a server without base64 is asked for numbers, then always', async () => {
    await using setup = await setUp({ supportsBase64: false })
    const texts = Array.from({ length: 40 }, (_, index) => `Text ${index}`)
    expect(await setup.vectors(texts)).toHaveLength(40)
    const sent = setup.embeddings.requests.map(({ encoding, input }) => [encoding, input.length])
    expect(sent).toEqual([
      ['base64', 40],
      ['float', 40],
    ])
    await setup.vectors(texts)
    expect(setup.embeddings.requests.slice(2).map(({ input }) => input.length)).toEqual([16, 16, 8])
  })

  test('one whose context is small gets short texts', async () => {
    await using setup = await setUp({ maxCharacters: 2_000 })
    await setup.vectors(['short'])
    expect(await setup.vectors(['word '.repeat(1_000), 'short'])).toHaveLength(2)
    expect(await setup.vectors(['word '.repeat(1_000)])).toHaveLength(1)
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
  ['one index twice', { kind: 'vectors', alter: (elements) => elements.map((one) => ({ ...one, index: 0 })) }, true],
  ['a wild index', { kind: 'vectors', alter: ([first]) => [first, { ...ELEMENT, index: 1e9 }] }, true],
  ['different lengths', { kind: 'vectors', alter: ([first]) => [first, { ...ELEMENT, index: 1 }] }, true],
  ['words for numbers', { kind: 'vectors', alter: () => [{ embedding: ['a'] }, { embedding: ['b'] }] }, true],
  ['numbers without a value', { kind: 'vectors', alter: () => [{ embedding: [null] }, { embedding: [1] }] }, true],
  ['vectors without length', { kind: 'vectors', alter: () => [{ embedding: [0, 0] }, { embedding: [1, 0] }] }, true],
  ['base64 of half a number', { kind: 'vectors', alter: () => [{ embedding: 'AAA=' }, { embedding: 'AAA=' }] }, true],
  ['a closed connection', { kind: 'refuse' }, true],
  ['an answer that is cut', { kind: 'cut' }, true],
  ['an answer that is shorter than announced', { kind: 'wrong-length' }, true],
  ['no HTTP', { kind: 'garbage' }, true],
  ['an answer without end', { kind: 'flood', sizeBytes: 40 * 1024 * 1024 }, true],
]

describe('faults', () => {
  test.each(FAULTS)('%s', async (_name, reply, retryable) => {
    await using setup = await setUp()
    setup.embeddings.script(reply)
    const embedded = await setup.embedder.embed(['one', 'two'], NEVER)
    expect(embedded).toMatchObject({ ok: false, retryable })
    expect(JSON.stringify(embedded)).not.toContain(TEST_KEY)
    expect(JSON.stringify(embedded)).not.toContain('127.0.0.1')
    expect(setup.clock.pendingTimers).toBe(0)
    expect(await setup.vectors(['one', 'two'])).toHaveLength(2)
  })

  test('how long to wait is passed on', async () => {
    await using setup = await setUp()
    setup.embeddings.script({ kind: 'json', status: 429, headers: { 'retry-after': '7' }, body: {} })
    expect(await setup.embedder.embed(['one'], NEVER)).toMatchObject({ retryable: true, retryAfterMs: 7_000 })
  })

  test.each(['hang', 'drip'] as const)('a server that answers like a %s is given up after 30 seconds', async (kind) => {
    await using setup = await setUp()
    setup.embeddings.script({ kind })
    const embedding = setup.embedder.embed(['one'], NEVER)
    await setup.embeddings.received(1)
    setup.clock.advance(30_000)
    expect(await embedding).toMatchObject({ ok: false, retryable: true })
    await setup.embeddings.abandoned()
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('who no longer wants the vectors closes the connection', async () => {
    await using setup = await setUp()
    setup.embeddings.script({ kind: 'hang' })
    const abort = new AbortController()
    const embedding = setup.embedder.embed(['one'], abort.signal)
    await setup.embeddings.received(1)
    abort.abort()
    expect(await embedding).toMatchObject({ ok: false, retryable: true })
    await setup.embeddings.abandoned()
    expect(await setup.embedder.embed(['one'], abort.signal)).toMatchObject({ ok: false })
    expect(setup.embeddings.requests).toHaveLength(1)
  })

  test('an unreachable server or a key that is no valid header', async () => {
    await using setup = await setUp({}, { apiKey: 'line\nbreak' })
    expect(await setup.embedder.embed(['one'], NEVER)).toMatchObject({ ok: false, retryable: false })
    await using closed = await setUp()
    await closed.embeddings.close()
    expect(await closed.embedder.embed(['one'], NEVER)).toMatchObject({ ok: false, retryable: true })
  })

  test('any response leads to vectors of length 1 or a failure', () => {
    const element = fc.record(
      { index: fc.oneof(fc.integer({ min: -1, max: 3 }), fc.anything()), embedding: fc.anything() },
      { requiredKeys: [] },
    )
    const numbers = fc.record({ embedding: fc.array(fc.double(), { minLength: 2, maxLength: 2 }) })
    const body = fc.oneof(fc.anything(), fc.record({ data: fc.array(fc.oneof(element, numbers), { maxLength: 3 }) }))
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 2 }), (given, count) => {
        const read = readVectors(given, count)
        if (!read.ok) return
        expect(read.vectors).toHaveLength(count)
        for (const vector of read.vectors) expect(cosine(vector, vector)).toBeCloseTo(1, 3)
      }),
    )
  })
})
