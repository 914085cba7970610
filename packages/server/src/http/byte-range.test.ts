import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseByteRange } from './send-bytes.ts'

test.each([
  [undefined, null],
  ['bytes=0-', { start: 0, length: 100 }],
  ['bytes=0-0', { start: 0, length: 1 }],
  ['bytes=10-19', { start: 10, length: 10 }],
  ['Bytes = 90-500', { start: 90, length: 10 }],
  ['bytes=-5', { start: 95, length: 5 }],
  ['bytes=-500', { start: 0, length: 100 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=5-4', null],
  ['bytes=-', null],
  ['bytes=0-1,5-6', null],
  ['lines=0-5', null],
  ['bytes=a-b', null],
])('reads %s of 100 bytes as %j', (header, range) => {
  expect(parseByteRange(header, 100)).toEqual(range)
})

test('a range is always within the content', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.option(fc.nat(1_200)), fc.option(fc.nat(1_200)), (sizeBytes, first, last) => {
      const range = parseByteRange(`bytes=${first ?? ''}-${last ?? ''}`, sizeBytes)
      if (range === null || range === 'unsatisfiable') return
      expect(range.start).toBeGreaterThanOrEqual(0)
      expect(range.length).toBeGreaterThan(0)
      expect(range.start + range.length).toBeLessThanOrEqual(sizeBytes)
      if (first !== null) expect(range.start).toBe(first)
    }),
  )
})
