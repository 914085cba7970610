import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFairQueue, type FairQueue } from './fair-queue.ts'

const anybody = (): boolean => true

function takeAll(queue: FairQueue<string>): string[] {
  const taken: string[] = []
  for (let item = queue.take(anybody); item !== null; item = queue.take(anybody)) taken.push(item)
  return taken
}

describe('a fair queue', () => {
  test('gives each owner its turn, and each owner its own order', () => {
    const queue = createFairQueue<string>({ mostItems: 10, mostItemsPerOwner: 10 })
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item.charCodeAt(0), item)
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  })

  test('leaves out owners that may not run, without their losing their turn', () => {
    const queue = createFairQueue<string>({ mostItems: 10, mostItemsPerOwner: 10 })
    queue.add(1, 'a1')
    queue.add(2, 'b1')
    queue.add(2, 'b2')
    expect(queue.take((owner) => owner !== 1)).toBe('b1')
    expect(queue.take(() => false)).toBeNull()
    expect(takeAll(queue)).toEqual(['a1', 'b2'])
  })

  test('is full for one owner before it is for all', () => {
    const queue = createFairQueue<string>({ mostItems: 3, mostItemsPerOwner: 2 })
    expect([queue.add(1, 'a1'), queue.add(1, 'a2'), queue.add(1, 'a3')]).toEqual([true, true, false])
    expect([queue.add(2, 'b1'), queue.add(3, 'c1')]).toEqual([true, false])
    expect(queue.remove(1, 'a1')).toBe(true)
    expect(queue.remove(1, 'a1')).toBe(false)
    expect(queue.add(3, 'c1')).toBe(true)
    expect(queue.clear().toSorted()).toEqual(['a2', 'b1', 'c1'])
    expect([takeAll(queue), queue.add(1, 'a4')]).toEqual([[], true])
  })

  test('loses nothing, and nobody waits for more than one item of each other', () => {
    const owners = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 })
    fc.assert(
      fc.property(owners, (sequence) => {
        const queue = createFairQueue<string>({ mostItems: 100, mostItemsPerOwner: 100 })
        const items = sequence.map((owner, index) => `${owner}-${index}`)
        sequence.forEach((owner, index) => {
          queue.add(owner, items[index] ?? '')
        })
        const taken = takeAll(queue)
        expect(taken.toSorted()).toEqual(items.toSorted())
        // Round by round: the n-th item of one owner comes before the n+2-th of any other.
        const seen = new Map<string, number>()
        const rounds = taken.map((item) => {
          const owner = item.slice(0, 1)
          const round = (seen.get(owner) ?? 0) + 1
          seen.set(owner, round)
          return round
        })
        expect(rounds).toEqual(rounds.toSorted((a, b) => a - b))
      }),
    )
  })
})
