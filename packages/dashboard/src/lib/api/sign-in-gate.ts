import { createStore } from '../store.ts'

/**
 * Whether requests with an expired session wait for the user to sign in again. The user keeps the input on the screen, and
 * pending saves continue after the sign-in.
 */
export const signInGate = createStore(false)

let nextSignIn = Promise.withResolvers<void>()

/** Resolves after the next sign-in. Rejects if `signal` is aborted. */
export async function waitForSignIn(signal: AbortSignal | undefined): Promise<void> {
  signInGate.set(true)
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([nextSignIn.promise, promise])
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

export function openGate(): void {
  signInGate.set(false)
  const { resolve } = nextSignIn
  nextSignIn = Promise.withResolvers<void>()
  resolve()
}
