import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addTypedIndex,
  addWeight,
  calculateSum,
  isValidDistribution,
  removeWeight,
  setWeight,
  slideWeight,
  splitEvenly,
  toPercent,
} from './weights.ts'

/** Weights as returned by the API: 1 to 50 positive weights with a sum of about 1. */
const anyWeights = fc
  .array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 50 })
  .map((parts) => parts.map((part) => Math.max(1e-6, Math.round((part / calculateSum(parts)) * 1e6) / 1e6)))

const anyIndex = fc.nat({ max: 49 })

function expectValidDistribution(weights: readonly number[]): void {
  expect(Math.abs(calculateSum(weights) - 1)).toBeLessThan(1e-9)
  expect(Math.min(...weights)).toBeGreaterThan(0)
  expect(isValidDistribution(weights)).toBe(true)
  // The displayed percentages also add up.
  expect(Math.abs(calculateSum(weights.map(toPercent)) - 100)).toBeLessThan(1e-6)
}

/** Expects a share to match within a hundredth of a percent. */
function expectNear(share: number | undefined, expected: number): void {
  expect(Math.abs((share ?? 0) - expected)).toBeLessThan(0.00005 + 1e-9)
}

describe('weights', () => {
  test.each([
    [1, [1]],
    [2, [0.5, 0.5]],
    [3, [0.3334, 0.3333, 0.3333]],
  ])('splits calls evenly among %i agents', (count, weights) => expect(splitEvenly(count)).toEqual(weights))

  test('splits calls evenly among up to 50 agents', () => {
    for (let count = 1; count <= 50; count += 1) expectValidDistribution(splitEvenly(count))
  })

  test('the slider keeps the sum and all weights above 0', () => {
    fc.assert(
      fc.property(anyWeights, anyIndex, fc.double({ min: 0, max: 1, noNaN: true }), (weights, selected, weight) => {
        const index = selected % weights.length
        const newWeights = slideWeight(weights, index, weight)
        expect(newWeights).toHaveLength(weights.length)
        expectValidDistribution(newWeights)
        const maxWeight = 1 - (weights.length - 1) / 100
        if (weights.length > 1 && weight >= 0.0001 && weight <= maxWeight) expectNear(newWeights[index], weight)
      }),
    )
  })

  test('keeps typed weights and distributes the remainder to the other weights', () => {
    fc.assert(
      fc.property(
        anyWeights,
        fc.array(anyIndex, { maxLength: 50 }),
        anyIndex,
        fc.integer({ min: 1, max: 20_000 }),
        (weights, typed, selected, points) => {
          const index = selected % weights.length
          const fixedIndexes = typed.map((typedIndex) => typedIndex % weights.length)
          const newWeights = setWeight(weights, { index, weight: points / 10_000 }, fixedIndexes)
          expect(newWeights[index]).toBe(points / 10_000)
          expect(Math.min(...newWeights)).toBeGreaterThan(0)
          for (const i of fixedIndexes) if (i !== index) expectNear(newWeights[i], Math.max(0.0001, weights[i] ?? 0))
          const fixed = new Set([...fixedIndexes, index])
          const freeCount = weights.length - fixed.size
          const remainder = 1 - calculateSum(newWeights.filter((_weight, i) => fixed.has(i)))
          if (freeCount > 0 && remainder >= freeCount / 10_000) expectValidDistribution(newWeights)
          else if (Math.abs(remainder) > 0.0011 + freeCount / 10_000)
            expect(isValidDistribution(newWeights)).toBe(false)
        },
      ),
    )
  })

  test('leaves at least one other weight to adjust', () => {
    expect(addTypedIndex([0, 1], 2, 3)).toEqual([1, 2])
    expect(addTypedIndex([0], 1, 2)).toEqual([1])
    expect(addTypedIndex([0, 1], 0, 4)).toEqual([1, 0])
    expect(addTypedIndex([5], 0, 3)).toEqual([0])
    expect(setWeight([0.6, 0.3, 0.1], { index: 2, weight: 0.2 }, [1])).toEqual([0.5, 0.3, 0.2])
    expect(setWeight([0.5, 0.5], { index: 0, weight: 0.7 }, [0])).toEqual([0.7, 0.3])
  })

  test('adding and removing a weight keeps the proportions of the other weights', () => {
    expect(addWeight([])).toEqual([1])
    expect(addWeight([0.6, 0.4])).toEqual([0.4, 0.2667, 0.3333])
    expect(removeWeight([0.6, 0.2, 0.2], 0)).toEqual([0.5, 0.5])
    expect(removeWeight([1], 0)).toEqual([])
    fc.assert(
      fc.property(anyWeights, anyIndex, (weights, selected) => {
        expectValidDistribution(addWeight(weights))
        if (weights.length > 1) expectValidDistribution(removeWeight(weights, selected % weights.length))
      }),
    )
  })

  test.each([
    [[], true],
    [[0.333333, 0.333333, 0.333333], true],
    [[0.5, 0.501], true],
    [[0.5, 0.502], false],
    [[0.7, 0.4], false],
    [[0.7, 0.2], false],
    [[1, 0], false],
  ])('%j is a valid distribution: %s', (weights, isValid) => expect(isValidDistribution(weights)).toBe(isValid))
})
