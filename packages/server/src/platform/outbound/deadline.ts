import type { Clock } from '@parley/engine/ports'

/** Ends work at its timeout or when its owner cancels, whichever comes first. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Returns the reason why the deadline ended, or null while it is open. */
  readonly getEndReason: () => 'timeout' | 'cancelled' | null
  /** Ends the deadline now, as a timeout would. */
  expire(): void
  /** Rejects as soon as the deadline ends, without waiting for work that cannot be stopped. */
  race<Result>(work: Promise<Result>): Promise<Result>
  /** Releases the timer and the listener. */
  release(): void
}

/** Starts a deadline. An aborted `ownerSignal` ends the deadline immediately. */
export function startDeadline(clock: Clock, timeoutMs: number, ownerSignal?: AbortSignal): Deadline {
  const controller = new AbortController()
  let endReason: 'timeout' | 'cancelled' | null = null
  const end = (reason: 'timeout' | 'cancelled'): void => {
    endReason ??= reason
    controller.abort()
  }
  const onOwnerAbort = (): void => end('cancelled')
  if (ownerSignal?.aborted === true) end('cancelled')
  ownerSignal?.addEventListener('abort', onOwnerAbort, { once: true })
  const cancelTimer = clock.after(timeoutMs, () => end('timeout'))
  return {
    signal: controller.signal,
    getEndReason: () => endReason,
    expire: () => end('timeout'),
    race: (work) => raceAbort(work, controller.signal),
    release: () => {
      cancelTimer()
      ownerSignal?.removeEventListener('abort', onOwnerAbort)
    },
  }
}

/** Returns the result of `work`, or rejects as soon as `signal` aborts. Ignores later results. */
export function raceAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
