/** Waits for a port, but no longer than until `signal` aborts; then, and when it rejects, the answer is `null`. */
export async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
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
