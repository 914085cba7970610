import { expect, test } from 'vitest'
import { runForEachRow } from './selectable-rows.tsx'

test('processes every row and returns the failed rows', async () => {
  const progress: number[] = []
  const ran: number[] = []
  const failures = await runForEachRow(
    [1, 2, 3, 4, 5, 6],
    async (row) => {
      ran.push(row)
      if (row % 3 === 0) throw new Error(`${row} is in use.`)
    },
    { signal: new AbortController().signal, onProgress: (count) => progress.push(count) },
  )
  expect(ran).toEqual([1, 2, 3, 4, 5, 6])
  expect(progress).toEqual([1, 2, 3, 4, 5, 6])
  expect(failures).toEqual([
    { row: 3, message: '3 is in use.' },
    { row: 6, message: '6 is in use.' },
  ])
})

test('starts no further row after an abort', async () => {
  const controller = new AbortController()
  const ran: number[] = []
  const rows = Array.from({ length: 20 }, (_, index) => index)
  const run = async (row: number): Promise<void> => {
    ran.push(row)
    if (row === 5) controller.abort()
  }
  expect(await runForEachRow(rows, run, { signal: controller.signal, onProgress: () => undefined })).toEqual([])
  expect(ran.length).toBeLessThan(rows.length)
})
