import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { completeWeights } from './number-agent.ts'

describe('completeWeights', () => {
  test.each<[(number | null)[], number[]]>([
    [[], []],
    [[null], [1]],
    [[1], [1]],
    [[0.9991], [0.9991]],
    [
      [0.5, 0.501],
      [0.5, 0.501],
    ],
    [
      [null, 0.5, null],
      [0.25, 0.5, 0.25],
    ],
    [
      [null, null, null],
      [0.333333, 0.333333, 0.333333],
    ],
    [
      [0.7, 0.1, null],
      [0.7, 0.1, 0.2],
    ],
  ])('%j becomes %j', (given, weights) => {
    expect(completeWeights(given)).toEqual({ type: 'valid', weights })
  })

  test.each<[(number | null)[], RegExp]>([
    [[0.5], /add up to 1, not 0.5$/],
    [[0.998], /not 0.998$/],
    [[1, 0.5], /not 1.5$/],
    [[1, null], /leave a share .* add up to 1$/],
    [[0.6, 0.6, null], /leave a share .* 1.2$/],
  ])('%j is refused', (given, message) => {
    expect(completeWeights(given)).toEqual({ type: 'invalid', message: expect.stringMatching(message) })
  })

  test('keeps given weights and completes the sum to 1', () => {
    const weight = fc.option(fc.double({ min: 1e-9, max: 1, noNaN: true }))
    fc.assert(
      fc.property(fc.array(weight, { minLength: 1, maxLength: 20 }), (given) => {
        const filled = completeWeights(given)
        if (filled.type === 'invalid') return
        expect(Math.abs(filled.weights.reduce((sum, one) => sum + one, 0) - 1)).toBeLessThanOrEqual(0.00101)
        for (const [index, one] of filled.weights.entries()) {
          expect(one).toBeGreaterThan(0)
          expect(one).toBe(given[index] ?? one)
        }
      }),
    )
  })
})
