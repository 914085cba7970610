import type { Clock } from '../../ports.ts'

/** Resolves after `delayMs`, or as soon as `signal` aborts, and releases its timer and listener. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (delayMs <= 0 || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const finish = (): void => {
      cancel()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = clock.after(delayMs, finish)
    signal.addEventListener('abort', finish, { once: true })
  })
}
