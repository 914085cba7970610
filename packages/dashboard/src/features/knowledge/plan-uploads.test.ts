import { UPLOAD_LIMITS } from '@parley/contract/knowledge-source'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  MOST_FILE_BYTES,
  MOST_REQUEST_BYTES,
  MOST_REQUEST_FILES,
  type PlannedFile,
  planUploads,
} from './plan-uploads.ts'

const MIB = 1024 * 1024
const planOf = (files: readonly PlannedFile[], folders: readonly string[] = []) => planUploads({ files, folders })
const fileOf = (size: number, name = 'a.pdf') => ({ name, size })

test('the limits are those of the server', () => {
  expect({
    maxFiles: MOST_REQUEST_FILES,
    maxFileBytes: MOST_FILE_BYTES,
    maxRequestBytes: MOST_REQUEST_BYTES,
  }).toEqual(UPLOAD_LIMITS)
})

test('small files go together, as many as a request takes', () => {
  const files = Array.from({ length: 60 }, (_, at) => fileOf(1_000, `${at}.txt`))
  expect(planOf(files).batches.map(({ length }) => length)).toEqual([25, 25, 10])
})

test('large files go alone', () => {
  const { batches } = planOf([fileOf(40 * MIB), fileOf(1), fileOf(50 * MIB), fileOf(2 * MIB), fileOf(3 * MIB)])
  expect(batches.map((batch) => batch.map(({ size }) => size))).toEqual([
    [40 * MIB],
    [1],
    [50 * MIB],
    [2 * MIB, 3 * MIB],
  ])
})

test('what the server would refuse is not sent', () => {
  const { batches, refused } = planOf([fileOf(0), fileOf(50 * MIB + 1), fileOf(5)])
  expect(batches).toEqual([[fileOf(5)]])
  expect(refused.map(({ why }) => why)).toEqual(['empty', 'too-large'])
})

test('a folder is not sent, and named', () => {
  expect(planOf([fileOf(5)], ['Manuals'])).toEqual({
    batches: [[fileOf(5)]],
    refused: [{ name: 'Manuals', why: 'folder' }],
  })
})

test('every file that may be sent is in one request, in order, and every request is within the limits', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 60 * MIB }), { maxLength: 80 }), (sizes) => {
      const { batches, refused } = planOf(sizes.map((size) => fileOf(size)))
      expect(batches.flat().map(({ size }) => size)).toEqual(sizes.filter((size) => size > 0 && size <= 50 * MIB))
      expect(batches.flat().length + refused.length).toBe(sizes.length)
      for (const batch of batches) {
        expect(batch.length).toBeGreaterThan(0)
        expect(batch.length).toBeLessThanOrEqual(UPLOAD_LIMITS.maxFiles)
        const sizeBytes = batch.reduce((sum, { size }) => sum + size, 0)
        // With room for the names of the files.
        expect(sizeBytes).toBeLessThan(UPLOAD_LIMITS.maxRequestBytes - MIB)
      }
    }),
  )
})
