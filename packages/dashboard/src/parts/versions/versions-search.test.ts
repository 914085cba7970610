import { expect, test } from 'vitest'
import { readVersionsSearch, selectComparedVersions } from './versions-search.ts'

test('reads only whole numbers from 1', () => {
  expect(readVersionsSearch({ from: 1, to: 3, other: 'x' })).toEqual({ from: 1, to: 3 })
  expect(readVersionsSearch({ from: 'one', to: 0.5 })).toEqual({})
  expect(readVersionsSearch({ from: 0, to: null })).toEqual({})
})

test('compares the newest version with the previous one by default', () => {
  expect(selectComparedVersions([1, 3, 2], {})).toEqual({ from: 2, to: 3 })
  expect(selectComparedVersions([3, 2, 1], { from: 1 })).toEqual({ from: 1, to: 3 })
  expect(selectComparedVersions([3, 2, 1], { to: 2 })).toEqual({ from: 1, to: 2 })
  expect(selectComparedVersions([3, 2, 1], { to: 1 })).toEqual({ from: 3, to: 1 })
  expect(selectComparedVersions([3, 2, 1], { from: 7, to: 9 })).toEqual({ from: 2, to: 3 })
})

test('compares a single version with nothing', () => {
  expect(selectComparedVersions([1], {})).toBeNull()
  expect(selectComparedVersions([], { from: 1, to: 2 })).toBeNull()
})
