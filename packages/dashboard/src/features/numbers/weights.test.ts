import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addWeight,
  calculateSum,
  changeWeight,
  isComplete,
  keepTypedWeights,
  moveWeight,
  removeWeight,
  splitEvenly,
  toPercent,
} from './weights.ts'

/** Weights as returned by the API: 1 to 50 positive weights with a sum of about 1. */
const someWeights = fc
  .array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 50 })
  .map((parts) => parts.map((part) => Math.max(1e-6, Math.round((part / calculateSum(parts)) * 1e6) / 1e6)))

const row = fc.nat({ max: 49 })

function expectComplete(weights: readonly number[]): void {
  expect(Math.abs(calculateSum(weights) - 1)).toBeLessThan(1e-9)
  expect(Math.min(...weights)).toBeGreaterThan(0)
  expect(isComplete(weights)).toBe(true)
  // The displayed percentages also add up.
  expect(Math.abs(calculateSum(weights.map(toPercent)) - 100)).toBeLessThan(1e-6)
}

/** Expects a share to match within a hundredth of a percent. */
function expectNear(share: number | undefined, wanted: number): void {
  expect(Math.abs((share ?? 0) - wanted)).toBeLessThan(0.00005 + 1e-9)
}

describe('weights', () => {
  test.each([
    [1, [1]],
    [2, [0.5, 0.5]],
    [3, [0.3334, 0.3333, 0.3333]],
  ])('%i agents share equally', (count, weights) => expect(splitEvenly(count)).toEqual(weights))

  test('up to 50 agents can share equally', () => {
    for (let count = 1; count <= 50; count += 1) expectComplete(splitEvenly(count))
  })

  test('moving a slider keeps the sum, and every weight above 0', () => {
    fc.assert(
      fc.property(someWeights, row, fc.double({ min: 0, max: 1, noNaN: true }), (weights, selected, weight) => {
        const index = selected % weights.length
        const moved = moveWeight(weights, index, weight)
        expect(moved).toHaveLength(weights.length)
        expectComplete(moved)
        const most = 1 - (weights.length - 1) / 100
        if (weights.length > 1 && weight >= 0.0001 && weight <= most) expectNear(moved[index], weight)
      }),
    )
  })

  test('typed weights stay, and the others share the rest', () => {
    fc.assert(
      fc.property(
        someWeights,
        fc.array(row, { maxLength: 50 }),
        row,
        fc.integer({ min: 1, max: 20_000 }),
        (given, typed, selected, points) => {
          const index = selected % given.length
          const held = typed.map((at) => at % given.length)
          const changed = changeWeight(given, { index, weight: points / 10_000 }, held)
          expect(changed[index]).toBe(points / 10_000)
          expect(Math.min(...changed)).toBeGreaterThan(0)
          for (const at of held) if (at !== index) expectNear(changed[at], Math.max(0.0001, given[at] ?? 0))
          const fixed = new Set([...held, index])
          const free = given.length - fixed.size
          const left = 1 - calculateSum(changed.filter((_weight, at) => fixed.has(at)))
          if (free > 0 && left >= free / 10_000) expectComplete(changed)
          else if (Math.abs(left) > 0.0011 + free / 10_000) expect(isComplete(changed)).toBe(false)
        },
      ),
    )
  })

  test('at least one typed weight is adjusted', () => {
    expect(keepTypedWeights([0, 1], 2, 3)).toEqual([1, 2])
    expect(keepTypedWeights([0], 1, 2)).toEqual([1])
    expect(keepTypedWeights([0, 1], 0, 4)).toEqual([1, 0])
    expect(keepTypedWeights([5], 0, 3)).toEqual([0])
    expect(changeWeight([0.6, 0.3, 0.1], { index: 2, weight: 0.2 }, [1])).toEqual([0.5, 0.3, 0.2])
    expect(changeWeight([0.5, 0.5], { index: 0, weight: 0.7 }, [0])).toEqual([0.7, 0.3])
  })

  test('adding and removing keeps the proportions of the others', () => {
    expect(addWeight([])).toEqual([1])
    expect(addWeight([0.6, 0.4])).toEqual([0.4, 0.2667, 0.3333])
    expect(removeWeight([0.6, 0.2, 0.2], 0)).toEqual([0.5, 0.5])
    expect(removeWeight([1], 0)).toEqual([])
    fc.assert(
      fc.property(someWeights, row, (weights, selected) => {
        expectComplete(addWeight(weights))
        if (weights.length > 1) expectComplete(removeWeight(weights, selected % weights.length))
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
  ])('whether %j can be saved: %s', (weights, can) => expect(isComplete(weights)).toBe(can))
})
