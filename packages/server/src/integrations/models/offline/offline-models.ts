import type { Clock, LanguageModel, ModelEvent, ModelFailure } from '@parley/engine/ports'
import { FairPool, type TaskFailure } from '../../fair-pool.ts'
import { RequestThread } from '../../worker-thread.ts'
import type { OfflineMessage, OfflineRequest } from './offline-worker.ts'

export interface OfflineModelsOptions {
  readonly clock: Clock
  readonly startThread?: () => DecidingThread
}

/** Runs the offline model in threads, so that it never blocks the main thread. */
export interface OfflineModels {
  /** Returns the model of a workspace. Workspaces take turns. */
  forWorkspace(workspaceId: number): LanguageModel
  /** Starts a thread before the first turn. */
  warmUp(): void
  close(): Promise<void>
}

const MAX_THREADS = 2
const MAX_QUEUED_REQUESTS = 500
const MAX_WAIT_MS = 10_000
/** A decision takes only milliseconds. */
const MAX_WORK_MS = 2_000
const IDLE_MS = 10 * 60_000

const createFailureEvents = (
  kind: ModelFailure['kind'],
  message: string,
  retryable: boolean,
): readonly ModelEvent[] => [{ type: 'error', failure: { kind, message, retryable } }]
const THREAD_ENDED = createFailureEvents('unavailable', 'The thread of the offline model ended.', true)
const MODEL_FAILED = createFailureEvents('protocol', 'The offline model failed.', false)

/**
 * Creates the pool of offline models. One workspace never occupies every thread. A request that exceeds its time fails, and its
 * thread is terminated.
 */
export function createOfflineModels({
  clock,
  startThread = () => new OfflineThread(),
}: OfflineModelsOptions): OfflineModels {
  const pool = new FairPool<DecidingThread, readonly ModelEvent[]>({
    clock,
    maxWorkers: MAX_THREADS,
    maxRunningPerGroup: MAX_THREADS - 1,
    maxQueued: MAX_QUEUED_REQUESTS,
    idleMs: IDLE_MS,
    start: startThread,
    shouldFinishCancelledWork: true,
  })
  return {
    forWorkspace: (workspaceId) => ({
      name: 'offline',
      async *stream({ signal, ...request }) {
        const events = await pool.run({
          group: String(workspaceId),
          signal,
          waitMs: MAX_WAIT_MS,
          getTimeLimitMs: () => MAX_WORK_MS,
          run: async (thread) => toModelEvents(await thread.send(request)),
          createFailedOutcome: toFailureEvents,
        })
        for (const event of events) {
          if (signal.aborted) return
          yield event
        }
      },
    }),
    warmUp: () => pool.warmUp(),
    close: () => pool.close(),
  }
}

function toModelEvents(message: OfflineMessage | null): readonly ModelEvent[] {
  if (message === null) return THREAD_ENDED
  return message.kind === 'answer' ? message.events : MODEL_FAILED
}

function toFailureEvents(failure: TaskFailure): readonly ModelEvent[] {
  switch (failure) {
    case 'stopping':
      return createFailureEvents('unavailable', 'The server is stopping.', false)
    case 'cancelled':
      return []
    case 'queue-full':
      return createFailureEvents('unavailable', 'Too many requests wait for the offline model.', true)
    case 'not-started':
      return createFailureEvents('unavailable', 'No thread could be started for the offline model.', true)
    case 'wait-timeout':
      return createFailureEvents(
        'timeout',
        `The offline model was not free within ${MAX_WAIT_MS / 1000} seconds.`,
        false,
      )
    case 'work-timeout':
      return createFailureEvents(
        'timeout',
        `The offline model did not respond within ${MAX_WORK_MS / 1000} seconds.`,
        false,
      )
  }
}

/** Methods of an offline thread that the pool uses. */
export type DecidingThread = Pick<OfflineThread, 'ready' | 'exited' | 'isAlive' | 'send' | 'terminate'>

class OfflineThread extends RequestThread<OfflineRequest, OfflineMessage> {
  /** Settles when the thread can respond or has ended. */
  readonly ready: Promise<unknown>

  constructor() {
    super({
      file: new URL('./offline-worker.ts', import.meta.url),
      name: 'offline-model',
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    this.ready = this.receive()
  }
}
