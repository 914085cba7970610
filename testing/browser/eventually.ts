import { expect } from 'vitest'

/** A browser on a busy machine may take this long for anything. */
const TIMEOUT_MS = 20_000

/** Expects of a value that it will be as wanted at some time soon. */
export function eventually<Value>(read: () => Value) {
  return expect.poll(read, { timeout: TIMEOUT_MS })
}
