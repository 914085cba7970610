import { expect, test } from 'vitest'
import { DocumentProcess } from './document-process.ts'

test('a process that is being ended cannot be asked again', async () => {
  const reader = new DocumentProcess(64 * 1024 * 1024)
  expect(reader.isAlive).toBe(true)
  const ended = reader.end()
  expect(reader.isAlive).toBe(false)
  await ended
  expect(reader.isAlive).toBe(false)
})
