import { expect, test } from 'vitest'
import { comparedOf, readVersionsSearch } from './versions-search.ts'

test('reads only whole numbers from 1', () => {
  expect(readVersionsSearch({ from: 1, to: 3, other: 'x' })).toEqual({ from: 1, to: 3 })
  expect(readVersionsSearch({ from: 'one', to: 0.5 })).toEqual({})
  expect(readVersionsSearch({ from: 0, to: null })).toEqual({})
})

test('compares the newest version with the previous one by default', () => {
  expect(comparedOf([1, 3, 2], {})).toEqual({ from: 2, to: 3 })
  expect(comparedOf([3, 2, 1], { from: 1 })).toEqual({ from: 1, to: 3 })
  expect(comparedOf([3, 2, 1], { to: 2 })).toEqual({ from: 1, to: 2 })
  expect(comparedOf([3, 2, 1], { to: 1 })).toEqual({ from: 3, to: 1 })
  expect(comparedOf([3, 2, 1], { from: 7, to: 9 })).toEqual({ from: 2, to: 3 })
})

test('compares a single version with nothing', () => {
  expect(comparedOf([1], {})).toBeNull()
  expect(comparedOf([], { from: 1, to: 2 })).toBeNull()
})
