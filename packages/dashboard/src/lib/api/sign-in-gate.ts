import { createStore } from '../store.ts'

/**
 * Where requests wait whose login has ended, until the person has signed in again: what was typed stays on the screen behind
 * the question, and what was being saved is saved afterwards.
 */
export const signInGate = createStore(false)

let waiting = Promise.withResolvers<void>()

/** Resolves after the next sign-in; rejects when `signal` is aborted. */
export async function waitForSignIn(signal: AbortSignal | undefined): Promise<void> {
  signInGate.set(true)
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([waiting.promise, promise])
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

export function openGate(): void {
  signInGate.set(false)
  const { resolve } = waiting
  waiting = Promise.withResolvers<void>()
  resolve()
}
