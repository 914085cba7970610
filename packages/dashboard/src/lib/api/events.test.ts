import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createIdleTimeout } from './events.ts'

const LIMIT_MS = 45_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function createStream() {
  const stream = createIdleTimeout(LIMIT_MS, () => new Error('silent'))
  return { writer: stream.writable.getWriter(), reader: stream.readable.getReader() }
}

test('a stream with occasional events stays open', async () => {
  const { writer, reader } = createStream()
  for (const byte of [1, 2, 3]) {
    await vi.advanceTimersByTimeAsync(LIMIT_MS - 1)
    void writer.write(new Uint8Array([byte]))
    expect(await reader.read()).toEqual({ done: false, value: new Uint8Array([byte]) })
  }
  void writer.close()
  expect((await reader.read()).done).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('a silent stream fails after the limit', async () => {
  const { writer, reader } = createStream()
  void writer.write(new Uint8Array([1]))
  await reader.read()
  const readResult = reader.read().catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(LIMIT_MS)
  expect(await readResult).toEqual(new Error('silent'))
})

test('a cancelled stream stops its timer', async () => {
  const { reader } = createStream()
  await reader.cancel()
  expect(vi.getTimerCount()).toBe(0)
})
