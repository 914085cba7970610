import { expect } from 'vitest'

/** Timeout for a browser on a busy machine. */
const TIMEOUT_MS = 20_000

/** Expects a value to meet an expectation before the timeout. */
export function expectEventually<Value>(read: () => Value) {
  return expect.poll(read, { timeout: TIMEOUT_MS })
}
