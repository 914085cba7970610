/** Waits for a promise, and returns `null` if it rejects or `signal` aborts first. */
export async function waitUntilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  if (signal.aborted) return null
  let stop: () => void = () => {}
  const aborted = new Promise<null>((resolve) => {
    stop = () => resolve(null)
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work.catch(() => null), aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
