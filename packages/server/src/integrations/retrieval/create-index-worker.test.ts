import { createManualClock } from '@parley/engine/testing/manual-clock'
import { buildSegment } from '@parley/retrieval/lexical/build-segment'
import type { IndexQuery } from '@parley/retrieval/lexical/search'
import { expect, test } from 'vitest'
import { IndexThreadLostError } from '../../features/knowledge/retrieval/index-worker.ts'
import { createIndexWorker } from './create-index-worker.ts'

const CHUNKS = [
  { position: 0, title: '', headings: [], text: 'Parking is free on Sundays.' },
  { position: 1, title: '', headings: [], text: 'Refunds take fourteen days.' },
]

function setUp() {
  const time = createManualClock()
  const worker = createIndexWorker({ clock: time.clock })
  return { time, worker, [Symbol.asyncDispose]: () => worker.close() }
}

function question(text: string, vector: Float32Array | null = null): IndexQuery {
  return { texts: [{ text, weight: 1 }], vector, topK: 3, filterScore: 0 }
}

function segment(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buildSegment(CHUNKS))
}

test('added chunks are found until they are removed or dropped', async () => {
  await using setup = setUp()
  const thread = setup.worker.thread()
  const whole = segment()
  const parts = [whole.slice(0, 10), whole.slice(10, 11), whole.slice(11)]
  const added = await thread.add('base', [
    { key: 'one', parts },
    { key: 'two', parts: [new Uint8Array([1, 2])] },
    { key: 'three', parts: [] },
  ])
  expect(added).toMatchObject({ unreadable: ['two', 'three'] })
  expect(added.sizeBytes).toBeGreaterThan(0)
  expect(await thread.search(['other', 'base'], question('parking'))).toMatchObject([
    { index: 1, key: 'one', position: 0 },
  ])
  await thread.build('base', 'built', [{ position: 7, title: '', headings: [], text: 'Parking costs two euros.' }])
  expect(await thread.search(['base'], question('euros'))).toMatchObject([{ key: 'built', position: 7 }])
  await thread.remove('base', ['one', 'unknown'])
  expect(await thread.search(['base'], question('refunds'))).toEqual([])
  await thread.drop('base')
  expect(await thread.search(['base'], question('euros'))).toEqual([])
  expect(setup.time.pendingTimers()).toBe(0)
})

test('vectors count when all of a segment are there', async () => {
  await using setup = setUp()
  const thread = setup.worker.thread()
  await thread.add('base', [{ key: 'one', parts: [segment()] }])
  const page = (position: number, complete: readonly string[]) => ({
    dimensions: 2,
    numbers: position === 0 ? new Float32Array([1, 0]) : new Float32Array([0, 1]),
    places: [{ key: 'one', position }],
    complete,
  })
  const asked = question('something else', new Float32Array([0, 1]))
  await thread.addVectors('base', page(1, []))
  expect(await thread.search(['base'], asked)).toEqual([])
  await thread.addVectors('base', page(0, ['one']))
  expect((await thread.search(['base'], asked))[0]).toMatchObject({ key: 'one', position: 1, vectorScore: 1 })
})

test('a request that fails leaves the thread alive', async () => {
  await using setup = setUp()
  const thread = setup.worker.thread()
  const broken = thread.search(['base'], { ...question('x'), texts: null } as unknown as IndexQuery)
  await expect(broken).rejects.not.toBeInstanceOf(IndexThreadLostError)
  expect(thread.isLost).toBe(false)
  expect(await thread.search(['base'], question('x'))).toEqual([])
  expect(setup.worker.thread()).toBe(thread)
})

test('a thread that owes an answer for too long is ended and says so, and the next one is empty', async () => {
  await using setup = setUp()
  const thread = setup.worker.thread()
  await thread.add('base', [{ key: 'one', parts: [segment()] }])
  const searching = thread.search(['base'], question('parking'))
  const cause = new Error('The index thread did not answer within 20000 ms.')
  const lost = expect(searching).rejects.toEqual(new IndexThreadLostError(cause))
  await setup.time.advance(20_000)
  await lost
  expect(thread.isLost).toBe(true)
  await expect(thread.drop('base')).rejects.toBeInstanceOf(IndexThreadLostError)
  const next = setup.worker.thread()
  expect(await next.search(['base'], question('parking'))).toEqual([])
  expect(setup.time.pendingTimers()).toBe(0)
})

test('after the end nothing starts again', async () => {
  const { worker, time } = setUp()
  const thread = worker.thread()
  const searching = expect(thread.search(['base'], question('x'))).rejects.toBeInstanceOf(IndexThreadLostError)
  await worker.close()
  await searching
  expect(worker.thread().isLost).toBe(true)
  await expect(worker.thread().search([], question('x'))).rejects.toBeInstanceOf(IndexThreadLostError)
  expect(time.pendingTimers()).toBe(0)
})
