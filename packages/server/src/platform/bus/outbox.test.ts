import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOutbox } from './linked-bus.ts'

test('returns as many texts as fit, in order', () => {
  const outbox = createOutbox({ maxMessages: 10, maxBytes: 100 })
  for (const text of ['a', 'b', 'c']) outbox.add(text, 4)
  expect(outbox.take(9)).toEqual(['a', 'b'])
  outbox.add('large', 50)
  expect(outbox.take(20)).toEqual(['c'])
  expect(outbox.take(20)).toEqual(['large'])
  expect(outbox.isEmpty).toBe(true)
  expect(outbox.take(20)).toEqual([])
})

test('keeps the newest texts within its limits and reports dropped ones', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }), (sizes) => {
      const outbox = createOutbox({ maxMessages: 8, maxBytes: 60 })
      const kept = sizes.map((size, index) => outbox.add(String(index), size))
      const left = outbox.take(Number.POSITIVE_INFINITY).map(Number)
      expect(left).toEqual(sizes.map((_, index) => index).slice(sizes.length - left.length))
      expect(left.length).toBeLessThanOrEqual(8)
      expect(left.reduce((sum, index) => sum + (sizes[index] ?? 0), 0)).toBeLessThanOrEqual(60)
      expect(left.length === sizes.length).toBe(kept.every(Boolean))
      expect(sizes.length === 0 || left.length > 0).toBe(true)
    }),
  )
})
