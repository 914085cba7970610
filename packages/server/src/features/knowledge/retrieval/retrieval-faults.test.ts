import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { openKnowledge, type TestNode } from './retrieval-test-kit.ts'

const REFUND = 'Refunds are paid within fourteen days after the parcel has arrived.'
const PARKING = 'Parking is free on Sundays behind the town hall.'
const OPENING = 'The shop opens at nine in the morning.'

describe('an unusable index', () => {
  const brokenSegments: readonly (readonly [string, Uint8Array | null])[] = [
    ['is damaged', new Uint8Array([1, 2, 3])],
    ['is not an index', new Uint8Array(1_000).fill(255)],
    ['is of an earlier version', Uint8Array.from({ length: 1_000 }, (_, index) => [0x4b, 0x42, 0x49, 2][index] ?? 0)],
    ['is missing', null],
  ]

  test.each(brokenSegments)('%s: still finds the passages', async (_name, segment) => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    const filler = Array.from({ length: 250 }, (_, index) => `Some other text about number ${index}.`)
    await writer.putSource('base', 's1', { texts: [REFUND, ...filler, PARKING], segment })
    await writer.putSource('base', 's2', { texts: [OPENING] })
    const node = knowledge.startNode()
    expect((await node.findTexts('refunds'))[0]).toBe(REFUND)
    expect((await node.findTexts('parking sundays'))[0]).toBe(PARKING)
    expect((await node.findTexts('shop opens'))[0]).toBe(OPENING)
    await writer.deleteSource('base', 's1')
    expect(await node.findTexts('parking sundays')).toEqual([])
    expect(node.errors).toEqual([])
  })
})

test('reindexing a large base does not block searches of another one', async () => {
  await using knowledge = await openKnowledge()
  const { writer } = knowledge
  await writer.addBase('base')
  await writer.addBase('small')
  const texts = Array.from({ length: 800 }, (_, index) => `Passage ${index} about refunds. `.repeat(20))
  await writer.putSource('base', 's1', { texts, segment: null })
  await writer.putSource('small', 's2', { texts: [PARKING] })
  const node = knowledge.startNode()
  const searchStarted = Promise.withResolvers<void>()
  node.worker.beforeCall = async (call) => {
    if (call === 'build') searchStarted.resolve()
  }
  const order: string[] = []
  const largeSearch = node.findTexts('refunds').then(() => order.push('large'))
  await searchStarted.promise
  expect(await node.findTexts('parking', { knowledgeBaseIds: ['small'] })).toEqual([PARKING])
  order.push('small')
  await largeSearch
  expect(order).toEqual(['small', 'large'])
})

describe('the thread', () => {
  test('is replaced and reloaded after a crash', async () => {
    await using knowledge = await openKnowledge()
    await knowledge.writer.addBase('base')
    await knowledge.writer.putSource('base', 's1', { texts: [REFUND] })
    const node = knowledge.startNode()
    expect(await node.findTexts('refunds')).toEqual([REFUND])
    await node.worker.crash()
    expect(await node.findTexts('refunds')).toEqual([REFUND])
    node.worker.beforeCall = async (call) => {
      if (call !== 'search') return
      node.worker.beforeCall = () => Promise.resolve()
      await node.worker.crash()
    }
    expect(await node.findTexts('refunds')).toEqual([REFUND])
    expect(node.worker.threads).toBe(3)
    expect(node.errors).toEqual([])
  })

  test('is not restarted repeatedly for a base that crashes it', async () => {
    await using knowledge = await openKnowledge()
    await knowledge.writer.addBase('base')
    await knowledge.writer.putSource('base', 's1', { texts: [REFUND] })
    const time = createManualClock()
    const node = knowledge.startNode({ clock: time.clock })
    node.worker.beforeCall = (call) => (call === 'add' ? node.worker.crash() : Promise.resolve())
    expect(await node.search('refunds')).toMatchObject({ ok: false })
    expect(await node.search('refunds')).toMatchObject({ ok: false, message: expect.stringContaining('in a minute') })
    expect(node.worker.threads).toBe(2)
    node.worker.beforeCall = () => Promise.resolve()
    await time.advance(60_000)
    expect(await node.findTexts('refunds')).toEqual([REFUND])
    expect(time.countPendingTimers()).toBe(0)
  })

  test('closes with its running work', async () => {
    await using knowledge = await openKnowledge()
    await knowledge.writer.addBase('base')
    await knowledge.writer.putSource('base', 's1', { texts: [REFUND] })
    const node = knowledge.startNode()
    const started = Promise.withResolvers<void>()
    node.worker.beforeCall = () => {
      started.resolve()
      return Promise.resolve()
    }
    const searching = node.search('refunds')
    await started.promise
    await node.retrieval.close()
    expect(await searching).toMatchObject({ ok: false })
    expect(await node.search('refunds')).toEqual({ ok: false, message: 'The server is stopping.' })
  })
})

describe('a failed load', () => {
  function failOnce(node: TestNode, name: string, calls: number): void {
    let remainingCalls = calls
    node.worker.beforeCall = async (call) => {
      if (call !== name) return
      remainingCalls -= 1
      if (remainingCalls === 0) throw new Error('The disk is full.')
    }
  }

  test('hides the details, and the next one succeeds', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    const texts = Array.from({ length: 250 }, (_, index) => `Refund rule number ${index}.`)
    for (const id of ['s1', 's2', 's3']) await writer.putSource('base', id, { texts: [...texts, `only ${id}`] })
    const node = knowledge.startNode()
    failOnce(node, 'add', 2)
    expect(await node.search('only')).toMatchObject({ ok: false, message: expect.stringContaining('server error') })
    expect(node.errors).toEqual(['search knowledge bases: The disk is full.'])
    expect([...(await node.findTexts('only'))].sort()).toEqual(['only s1', 'only s2', 'only s3'])
  })

  test('leaves no segments of a source that is deleted afterwards', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    const texts = Array.from({ length: 150 }, (_, index) => `Refund rule number ${index}.`)
    await writer.putSource('base', 's1', { texts, segment: null })
    await writer.putSource('base', 's2', { texts: [REFUND] })
    const node = knowledge.startNode()
    failOnce(node, 'build', 2)
    expect(await node.search('refund')).toMatchObject({ ok: false })
    await writer.deleteSource('base', 's1')
    node.worker.calls.length = 0
    expect(await node.findTexts('refund rule')).toEqual([REFUND])
    expect(node.worker.calls.filter((call) => call === 'search')).toHaveLength(1)
  })
})

describe('deadlines', () => {
  test('a search ends at its deadline, and its load continues for the next one', async () => {
    await using knowledge = await openKnowledge()
    await knowledge.writer.addBase('base')
    await knowledge.writer.putSource('base', 's1', { texts: [REFUND] })
    const time = createManualClock()
    const node = knowledge.startNode({ clock: time.clock, deadlineMs: 3_000 })
    const blocked = Promise.withResolvers<void>()
    const searchStarted = Promise.withResolvers<void>()
    node.worker.beforeCall = (call) => {
      searchStarted.resolve()
      return call === 'add' ? blocked.promise : Promise.resolve()
    }
    const lateSearch = node.search('refunds')
    await searchStarted.promise
    await time.advance(3_000)
    expect(await lateSearch).toMatchObject({ ok: false, message: expect.stringContaining('next question') })
    const nextSearch = node.findTexts('refunds')
    blocked.resolve()
    expect(await nextSearch).toEqual([REFUND])
    expect(node.worker.calls).toEqual(['add', 'search'])
    expect(time.countPendingTimers()).toBe(0)
  })

  test('a canceled search ends at once', async () => {
    await using knowledge = await openKnowledge()
    await knowledge.writer.addBase('base')
    await knowledge.writer.putSource('base', 's1', { texts: [REFUND] })
    const node = knowledge.startNode()
    const abort = new AbortController()
    node.worker.beforeCall = async () => abort.abort()
    const cancelledOutcome = { ok: false, message: 'The search was cancelled.' }
    expect(await node.search('refunds', { signal: abort.signal })).toEqual(cancelledOutcome)
    expect(await node.search('refunds', { signal: abort.signal })).toEqual(cancelledOutcome)
    expect(await node.findTexts('refunds')).toEqual([REFUND])
  })

  test('a failing database fails the search without details', async () => {
    await using knowledge = await openKnowledge()
    await knowledge.writer.addBase('base')
    const node = knowledge.startNode()
    await knowledge.database.close()
    const message = 'The knowledge bases could not be searched because of a server error.'
    expect(await node.search('refunds')).toEqual({ ok: false, message })
    expect(node.errors).toHaveLength(1)
  })
})
