import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { createConceptVectors } from '../../../../../../testing/embedding-server/concept-vectors.ts'
import { createQueryEmbedder } from './query-vectors.ts'
import { createScriptedEmbedder } from './retrieval-test-kit.ts'

const NEVER = new AbortController().signal

function setUp() {
  const time = createManualClock()
  const embedder = createScriptedEmbedder(createConceptVectors())
  const errors: string[] = []
  const logError = (name: string): void => void errors.push(name)
  const vectors = createQueryEmbedder({ embedder, clock: time.clock, logError })
  const embedTexts = (...texts: readonly string[]) =>
    vectors.embedQuery(
      texts.map((text, index) => ({ text, weight: 1 / (index + 1) })),
      NEVER,
    )
  return { time, embedder, errors, vectors, embedTexts }
}

function computeCosine(left: Float32Array | null, right: Float32Array | null): number {
  return Array.from(left ?? []).reduce((sum, number, index) => sum + number * (right?.[index] ?? 0), 0)
}

test('weights the latest text most and reuses cached vectors', async () => {
  const { embedder, embedTexts } = setUp()
  const pricesVector = await embedTexts('How much is the large plan?')
  const plansVector = await embedTexts('Which plans are there?')
  const combinedVector = await embedTexts('How much is the large plan?', 'Which plans are there?')
  expect(computeCosine(combinedVector, combinedVector)).toBeCloseTo(1, 5)
  expect(computeCosine(combinedVector, pricesVector)).toBeGreaterThan(computeCosine(combinedVector, plansVector))
  expect(computeCosine(combinedVector, plansVector)).toBeGreaterThan(computeCosine(pricesVector, plansVector))
  expect(embedder.requestedTexts).toEqual(['How much is the large plan?', 'Which plans are there?'])
})

test('embeds at most four texts, skips empty texts and truncates long texts', async () => {
  const { embedder, embedTexts } = setUp()
  await embedTexts('one', '', 'two', 'one', 'three', 'four', 'five')
  expect(embedder.requestedTexts).toEqual(['one', 'two', 'three'])
  await embedTexts(`${'x'.repeat(5000)} end`)
  expect(embedder.requestedTexts.at(-1)).toBe(`${'x'.repeat(3996)} end`)
  expect(await embedTexts('', ' ')).toBeNull()
  expect(await embedTexts()).toBeNull()
})

test('times out after 1.5 seconds and pauses requests to the model', async () => {
  const { time, embedder, errors, embedTexts } = setUp()
  await embedTexts('known')
  embedder.failure = 'hang'
  const pendingQuery = embedTexts('unknown')
  await time.advance(1_499)
  const earlyResult = await Promise.race([pendingQuery, Promise.resolve('waiting')])
  expect(earlyResult).toBe('waiting')
  await time.advance(1)
  expect(await pendingQuery).toBeNull()
  expect(await embedTexts('unknown')).toBeNull()
  expect(await embedTexts('known', 'unknown')).not.toBeNull()
  expect(embedder.requestedTexts).toEqual(['known', 'unknown'])
  expect(errors).toEqual(['embed a question'])
  embedder.failure = null
  await time.advance(10_000)
  expect(await embedTexts('unknown')).not.toBeNull()
  expect(time.countPendingTimers()).toBe(0)
})

test('honors the retry delay of a model, up to a minute', async () => {
  const { time, embedder, embedTexts } = setUp()
  embedder.failure = { ok: false, message: 'Too many requests.', retryable: true, retryAfterMs: 3_600_000 }
  expect(await embedTexts('text')).toBeNull()
  embedder.failure = null
  await time.advance(59_999)
  expect(await embedTexts('text')).toBeNull()
  await time.advance(1)
  expect(await embedTexts('text')).not.toBeNull()
})

test('a canceled request does not count as a failure of the model', async () => {
  const { embedder, errors, vectors, embedTexts } = setUp()
  embedder.failure = 'hang'
  const abort = new AbortController()
  const pendingQuery = vectors.embedQuery([{ text: 'text', weight: 1 }], abort.signal)
  abort.abort()
  expect(await pendingQuery).toBeNull()
  embedder.failure = null
  expect(await embedTexts('text')).not.toBeNull()
  expect(errors).toEqual([])
})

test('caches the vectors of the most recent questions', async () => {
  const { embedder, embedTexts } = setUp()
  for (let index = 0; index < 501; index += 1) await embedTexts(`question ${index}`)
  embedder.requestedTexts.length = 0
  await embedTexts('question 500')
  await embedTexts('question 1')
  await embedTexts('question 0')
  expect(embedder.requestedTexts).toEqual(['question 0'])
})
