import type { Clock, LanguageModel } from '@parley/engine/ports'
import { OfflinePool } from './offline-pool.ts'
import { type DecidingThread, OfflineThread } from './offline-thread.ts'

export interface OfflineModelsOptions {
  readonly clock: Clock
  readonly startThread?: () => DecidingThread
}

/** The offline model in threads: whatever it reads, the main thread goes on. */
export interface OfflineModels {
  /** Workspaces take turns. */
  forWorkspace(workspaceId: number): LanguageModel
  /** Starts a thread ahead of the first turn. */
  warm(): void
  close(): Promise<void>
}

const MAX_THREADS = 2
const MAX_PENDING = 500
const MAX_WAIT_MS = 10_000
/** A decision takes milliseconds. */
const MAX_WORK_MS = 2_000
const IDLE_MS = 10 * 60_000

export function createOfflineModels({
  clock,
  startThread = () => new OfflineThread(),
}: OfflineModelsOptions): OfflineModels {
  const pool = new OfflinePool({
    clock,
    maxThreads: MAX_THREADS,
    maxPending: MAX_PENDING,
    waitMs: MAX_WAIT_MS,
    maxWorkMs: MAX_WORK_MS,
    idleMs: IDLE_MS,
    startThread,
  })
  return {
    forWorkspace: (workspaceId) => ({
      name: 'offline',
      async *stream(request) {
        for (const event of await pool.run(request, workspaceId)) {
          if (request.signal.aborted) return
          yield event
        }
      },
    }),
    warm: () => pool.warm(),
    close: () => pool.close(),
  }
}
