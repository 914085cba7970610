import type { Clock } from '@parley/engine/ports'
import type { CallOutcome } from '@parley/engine/voice/session/session-ports'
import type { CallEnder } from '../states/call-ender.ts'

/** Between two tries while the database is away. */
const RETRY_MS = 1_000

export interface EndWriterDependencies {
  readonly clock: Clock
  readonly callEnder: Pick<CallEnder, 'endById'>
  readonly logError: (name: string, error: unknown) => void
}

/** Writes down how calls ended. */
export interface EndWriter {
  /** Resolves once it is on record, or given up. Never rejects. */
  write(callId: string, outcome: Pick<CallOutcome, 'reason' | 'endedAtMs' | 'state'>): Promise<void>
  /** What waits for the database is tried once more; whoever finds the calls lost ends them otherwise. */
  giveUp(): void
}

export function createEndWriter({ clock, callEnder, logError }: EndWriterDependencies): EndWriter {
  const waiting = new Set<() => void>()
  let isStopped = false
  /** Many calls may end while the database is away: that is said once. */
  let isDatabaseDown = false

  async function pause(): Promise<void> {
    if (isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = clock.after(RETRY_MS, resolve)
    waiting.add(resolve)
    await promise
    waiting.delete(resolve)
    cancel()
  }

  return {
    async write(callId, { reason, endedAtMs, state }) {
      const end = { reason, endedAtMs, collectedVariables: state?.collectedVariables ?? {} }
      for (let isLast = isStopped; ; isLast = isStopped) {
        try {
          await callEnder.endById(callId, end)
          isDatabaseDown = false
          return
        } catch (error) {
          if (!isDatabaseDown || isLast) logError('write the end of a call', error)
          isDatabaseDown = true
        }
        if (isLast) return
        await pause()
      }
    },

    giveUp() {
      isStopped = true
      for (const resume of waiting) resume()
    },
  }
}
