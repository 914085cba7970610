import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

function takeAll<Item>(queue: FairQueue<Item>): Item[] {
  const taken: Item[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

function queueOf(items: readonly string[], maxRunningPerGroup?: number): FairQueue<string> {
  const queue = new FairQueue<string>(maxRunningPerGroup === undefined ? {} : { maxRunningPerGroup })
  for (const item of items) queue.push(item.slice(0, 1), item)
  return queue
}

describe('a fair queue', () => {
  test('takes the groups in turn, each group in its own order', () => {
    expect(takeAll(queueOf(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']))).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  })

  test('passes over a group at its limit, which keeps its turn', () => {
    const queue = queueOf(['a1', 'a2', 'b1', 'b2', 'b3'], 1)
    expect(takeAll(queue)).toEqual(['a1', 'b1'])
    queue.finish('b1')
    expect(queue.take()).toBe('b2')
    queue.finish('b2')
    queue.finish('a1')
    expect(takeAll(queue)).toEqual(['a2', 'b3'])
  })

  test('counts a running item of its group until it is finished, and only once', () => {
    const queue = queueOf(['a1', 'a2', 'a3'], 2)
    expect(takeAll(queue)).toEqual(['a1', 'a2'])
    queue.finish('a1')
    queue.finish('a1')
    expect(takeAll(queue)).toEqual(['a3'])
  })

  test('gives up items before their turn', () => {
    const queue = queueOf(['a1', 'a2', 'b1'])
    expect([queue.remove('a1'), queue.remove('a1'), queue.size, queue.sizeOf('a')]).toEqual([true, false, 2, 1])
    expect(queue.clear()).toEqual(['a2', 'b1'])
    expect([queue.size, queue.take()]).toEqual([0, undefined])
  })

  test('loses nothing, and no group waits for more than one item of each other group', () => {
    const groups = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 })
    fc.assert(
      fc.property(groups, (sequence) => {
        const items = sequence.map((group, index) => `${group}-${index}`)
        const taken = takeAll(queueOf(items))
        expect(taken.toSorted()).toEqual(items.toSorted())
        const seen = new Map<string, number>()
        const rounds = taken.map((item) => {
          const round = (seen.get(item.slice(0, 1)) ?? 0) + 1
          seen.set(item.slice(0, 1), round)
          return round
        })
        expect(rounds).toEqual(rounds.toSorted((a, b) => a - b))
      }),
    )
  })
})
