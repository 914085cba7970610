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

function createQuery(text: string, vector: Float32Array | null = null): IndexQuery {
  return { texts: [{ text, weight: 1 }], vector, topK: 3, filterScore: 0 }
}

function createSegment(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buildSegment(CHUNKS))
}

test('finds added chunks until they are removed or dropped', async () => {
  await using setup = setUp()
  const thread = setup.worker.getThread()
  const bytes = createSegment()
  const parts = [bytes.slice(0, 10), bytes.slice(10, 11), bytes.slice(11)]
  const added = await thread.add('base', [
    { key: 'one', parts },
    { key: 'two', parts: [new Uint8Array([1, 2])] },
    { key: 'three', parts: [] },
  ])
  expect(added).toMatchObject({ unreadable: ['two', 'three'] })
  expect(added.sizeBytes).toBeGreaterThan(0)
  expect(await thread.search(['other', 'base'], createQuery('parking'))).toMatchObject([
    { index: 1, key: 'one', position: 0 },
  ])
  await thread.build('base', 'built', [{ position: 7, title: '', headings: [], text: 'Parking costs two euros.' }])
  expect(await thread.search(['base'], createQuery('euros'))).toMatchObject([{ key: 'built', position: 7 }])
  await thread.remove('base', ['one', 'unknown'])
  expect(await thread.search(['base'], createQuery('refunds'))).toEqual([])
  await thread.drop('base')
  expect(await thread.search(['base'], createQuery('euros'))).toEqual([])
  expect(setup.time.countPendingTimers()).toBe(0)
})

test('uses vectors only when a segment has all of them', async () => {
  await using setup = setUp()
  const thread = setup.worker.getThread()
  await thread.add('base', [{ key: 'one', parts: [createSegment()] }])
  const createVectorPage = (position: number, completeKeys: readonly string[]) => ({
    dimensions: 2,
    values: position === 0 ? new Float32Array([1, 0]) : new Float32Array([0, 1]),
    locations: [{ key: 'one', position }],
    completeKeys,
  })
  const query = createQuery('something else', new Float32Array([0, 1]))
  await thread.addVectors('base', createVectorPage(1, []))
  expect(await thread.search(['base'], query)).toEqual([])
  await thread.addVectors('base', createVectorPage(0, ['one']))
  expect((await thread.search(['base'], query))[0]).toMatchObject({ key: 'one', position: 1, vectorScore: 1 })
})

test('keeps the thread alive after a failed request', async () => {
  await using setup = setUp()
  const thread = setup.worker.getThread()
  const failedSearch = thread.search(['base'], { ...createQuery('x'), texts: null } as unknown as IndexQuery)
  await expect(failedSearch).rejects.not.toBeInstanceOf(IndexThreadLostError)
  expect(thread.isLost).toBe(false)
  expect(await thread.search(['base'], createQuery('x'))).toEqual([])
  expect(setup.worker.getThread()).toBe(thread)
})

test('terminates a thread that does not respond in time and starts an empty one', async () => {
  await using setup = setUp()
  const thread = setup.worker.getThread()
  await thread.add('base', [{ key: 'one', parts: [createSegment()] }])
  const searching = thread.search(['base'], createQuery('parking'))
  const cause = new Error('The index thread did not respond within 20000 ms.')
  const rejection = expect(searching).rejects.toEqual(new IndexThreadLostError(cause))
  await setup.time.advance(20_000)
  await rejection
  expect(thread.isLost).toBe(true)
  await expect(thread.drop('base')).rejects.toBeInstanceOf(IndexThreadLostError)
  const nextThread = setup.worker.getThread()
  expect(await nextThread.search(['base'], createQuery('parking'))).toEqual([])
  expect(setup.time.countPendingTimers()).toBe(0)
})

test('starts no thread after it is closed', async () => {
  const { worker, time } = setUp()
  const thread = worker.getThread()
  const searching = expect(thread.search(['base'], createQuery('x'))).rejects.toBeInstanceOf(IndexThreadLostError)
  await worker.close()
  await searching
  expect(worker.getThread().isLost).toBe(true)
  await expect(worker.getThread().search([], createQuery('x'))).rejects.toBeInstanceOf(IndexThreadLostError)
  expect(time.countPendingTimers()).toBe(0)
})
