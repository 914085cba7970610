import { expect, test } from 'vitest'
import { placeOf } from './history-pages.ts'

test('a page knows where it stands', () => {
  expect(placeOf({ page: 1, total: 250, pages: 3 }, 100)).toMatchObject({ first: 1, last: 100 })
  expect(placeOf({ page: 3, total: 250, pages: 3 }, 50)).toMatchObject({ first: 201, last: 250 })
  expect(placeOf({ page: 9, total: 250, pages: 3 }, 0)).toMatchObject({ first: 0, last: 0 })
})
