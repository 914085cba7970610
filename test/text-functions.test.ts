import { expect, test } from 'vitest'
import { findSlowUnits } from '../testing/expressions/reading-time.ts'
import { TEXT_READERS, UNITS } from '../testing/expressions/text-functions.ts'

test.each(Object.entries(TEXT_READERS))('%s reads 64 KB of anything within 100 ms', (_name, read) => {
  expect(findSlowUnits(read, UNITS, 64)).toEqual([])
})
