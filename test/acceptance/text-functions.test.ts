import { expect, test } from 'vitest'
import { findFastGrowingUnits, findSlowUnits } from '../../testing/expressions/reading-time.ts'
import { CLAUSE_READERS, THREADED_READERS, UNITS } from '../../testing/expressions/text-functions.ts'

test.each(Object.entries(CLAUSE_READERS))('%s reads 8 KB of anything within 100 ms', (_name, read) => {
  expect(findSlowUnits(read, UNITS, 8)).toEqual([])
})

test.each(Object.entries(THREADED_READERS))('%s takes time in proportion to the text', (_name, read) => {
  expect(findFastGrowingUnits(read, UNITS)).toEqual([])
})
