import type { Clock } from '@parley/engine/ports'

/** Ends work at its timeout or when its owner cancels, whichever comes first. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Returns the reason why the deadline ended, or null while it is open. */
  readonly endedBy: () => 'timeout' | 'cancelled' | null
  /** Ends the deadline now, as a timeout would. */
  expire(): void
  /** Rejects as soon as the deadline ends, without waiting for work that cannot be stopped. */
  race<Result>(work: Promise<Result>): Promise<Result>
  /** Releases the timer and the listener. */
  release(): void
}

/** Starts a deadline. An aborted `owner` ends the deadline immediately. */
export function startDeadline(clock: Clock, timeoutMs: number, owner?: AbortSignal): Deadline {
  const controller = new AbortController()
  let endedBy: 'timeout' | 'cancelled' | null = null
  const end = (reason: 'timeout' | 'cancelled'): void => {
    endedBy ??= reason
    controller.abort()
  }
  const onOwnerAbort = (): void => end('cancelled')
  if (owner?.aborted === true) end('cancelled')
  owner?.addEventListener('abort', onOwnerAbort, { once: true })
  const cancelTimer = clock.after(timeoutMs, () => end('timeout'))
  return {
    signal: controller.signal,
    endedBy: () => endedBy,
    expire: () => end('timeout'),
    race: (work) => raceAbort(work, controller.signal),
    release: () => {
      cancelTimer()
      owner?.removeEventListener('abort', onOwnerAbort)
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
