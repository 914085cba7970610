import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { createConceptVectors } from '../../../../../../testing/embedding-server/concept-vectors.ts'
import { createQueryVectors } from './query-vectors.ts'
import { createScriptedEmbedder } from './retrieval-test-kit.ts'

const NEVER = new AbortController().signal

function setUp() {
  const time = createManualClock()
  const embedder = createScriptedEmbedder(createConceptVectors())
  const errors: string[] = []
  const logError = (name: string): void => void errors.push(name)
  const vectors = createQueryVectors({ embedder, clock: time.clock, logError })
  const ask = (...texts: readonly string[]) =>
    vectors.embedQuery(
      texts.map((text, index) => ({ text, weight: 1 / (index + 1) })),
      NEVER,
    )
  return { time, embedder, errors, vectors, ask }
}

function computeCosine(left: Float32Array | null, right: Float32Array | null): number {
  return Array.from(left ?? []).reduce((sum, number, index) => sum + number * (right?.[index] ?? 0), 0)
}

test('weights the last text most and reuses vectors of earlier ones', async () => {
  const { embedder, ask } = setUp()
  const prices = await ask('How much is the large plan?')
  const plans = await ask('Which plans are there?')
  const both = await ask('How much is the large plan?', 'Which plans are there?')
  expect(computeCosine(both, both)).toBeCloseTo(1, 5)
  expect(computeCosine(both, prices)).toBeGreaterThan(computeCosine(both, plans))
  expect(computeCosine(both, plans)).toBeGreaterThan(computeCosine(prices, plans))
  expect(embedder.asked).toEqual(['How much is the large plan?', 'Which plans are there?'])
})

test('embeds at most the last four texts, no empty ones, and only the end of long ones', async () => {
  const { embedder, ask } = setUp()
  await ask('one', '', 'two', 'one', 'three', 'four', 'five')
  expect(embedder.asked).toEqual(['one', 'two', 'three'])
  await ask(`${'x'.repeat(5000)} end`)
  expect(embedder.asked.at(-1)).toBe(`${'x'.repeat(3996)} end`)
  expect(await ask('', ' ')).toBeNull()
  expect(await ask()).toBeNull()
})

test('waits 1.5 seconds for a silent model, then pauses its use', async () => {
  const { time, embedder, errors, ask } = setUp()
  await ask('known')
  embedder.failure = 'hang'
  const asking = ask('unknown')
  await time.advance(1_499)
  const early = await Promise.race([asking, Promise.resolve('waiting')])
  expect(early).toBe('waiting')
  await time.advance(1)
  expect(await asking).toBeNull()
  expect(await ask('unknown')).toBeNull()
  expect(await ask('known', 'unknown')).not.toBeNull()
  expect(embedder.asked).toEqual(['known', 'unknown'])
  expect(errors).toEqual(['embed a question'])
  embedder.failure = null
  await time.advance(10_000)
  expect(await ask('unknown')).not.toBeNull()
  expect(time.pendingTimers()).toBe(0)
})

test('honors the retry delay of a model, up to a minute', async () => {
  const { time, embedder, ask } = setUp()
  embedder.failure = { ok: false, message: 'Too many requests.', retryable: true, retryAfterMs: 3_600_000 }
  expect(await ask('text')).toBeNull()
  embedder.failure = null
  await time.advance(59_999)
  expect(await ask('text')).toBeNull()
  await time.advance(1)
  expect(await ask('text')).not.toBeNull()
})

test('a canceled request does not count as a failure of the model', async () => {
  const { embedder, errors, vectors, ask } = setUp()
  embedder.failure = 'hang'
  const abort = new AbortController()
  const asking = vectors.embedQuery([{ text: 'text', weight: 1 }], abort.signal)
  abort.abort()
  expect(await asking).toBeNull()
  embedder.failure = null
  expect(await ask('text')).not.toBeNull()
  expect(errors).toEqual([])
})

test('keeps the most recent questions', async () => {
  const { embedder, ask } = setUp()
  for (let index = 0; index < 501; index += 1) await ask(`question ${index}`)
  embedder.asked.length = 0
  await ask('question 500')
  await ask('question 1')
  await ask('question 0')
  expect(embedder.asked).toEqual(['question 0'])
})
