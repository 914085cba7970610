import type { Clock } from '@parley/engine/ports'
import {
  RedactionFailedError,
  type RedactionResult,
  type RedactionRunner,
  type RedactionTask,
} from '../../features/post-processing/public.ts'
import { FairPool, type TaskFailure } from '../fair-pool.ts'
import { RequestThread } from '../worker-thread.ts'
import type { ThreadResponse } from './redaction-worker.ts'

export interface RedactionPoolOptions {
  readonly clock: Clock
  readonly createThread?: () => RedactionThread
}

/** With two threads, a slow conversation of one workspace does not delay other workspaces. */
const MAX_THREADS = 2
const MAX_RUNNING_PER_WORKSPACE = 1
const IDLE_MS = 30_000
const MAX_WAIT_MS = 120_000
/** Redaction normally takes at most 2 ms per 1,000 characters, so only pathological conversations exceed the deadline. */
const BASE_DEADLINE_MS = 10_000
const DEADLINE_MS_PER_CHARACTER = 0.02

/** Redacts conversations in threads. A conversation that exceeds its deadline fails, and its thread is terminated. */
export class RedactionPool implements RedactionRunner {
  readonly #pool: FairPool<RedactionThread, RedactionResult | RedactionFailedError>

  constructor({ clock, createThread = () => new RedactionThread() }: RedactionPoolOptions) {
    this.#pool = new FairPool({
      clock,
      maxWorkers: MAX_THREADS,
      maxRunningPerGroup: MAX_RUNNING_PER_WORKSPACE,
      idleMs: IDLE_MS,
      start: createThread,
    })
  }

  async run(workspaceId: number, task: RedactionTask): Promise<RedactionResult> {
    const text = JSON.stringify(task)
    const deadlineMs = Math.round(BASE_DEADLINE_MS + text.length * DEADLINE_MS_PER_CHARACTER)
    const outcome = await this.#pool.run({
      group: String(workspaceId),
      waitMs: MAX_WAIT_MS,
      getTimeLimitMs: () => deadlineMs,
      run: async (thread) => parseResponse(await thread.send(text)),
      createFailedOutcome: (failure) =>
        createRedactionError(describeTaskFailure(failure, deadlineMs), failure === 'work-timeout'),
    })
    if (outcome instanceof RedactionFailedError) throw outcome
    return outcome
  }

  /** Terminates all threads. Waiting and running redactions fail. */
  close(): Promise<void> {
    return this.#pool.close()
  }
}

function describeTaskFailure(failure: TaskFailure, deadlineMs: number): string {
  if (failure === 'work-timeout') return `Redacting the conversation took over ${deadlineMs} ms.`
  if (failure === 'wait-timeout') return 'No thread was free in time.'
  return failure === 'not-started' ? 'No thread could be started.' : 'The server is stopping.'
}

function parseResponse(response: ThreadResponse | null): RedactionResult | RedactionFailedError {
  if (response !== null && 'result' in response) return JSON.parse(response.result) as RedactionResult
  return createRedactionError(`Redacting the conversation failed: ${response?.error ?? 'thread ended'}.`)
}

function createRedactionError(message: string, isTimeout = false): RedactionFailedError {
  return new RedactionFailedError(message, { isTimeout })
}

const HEAP_MEGABYTES = 512

/** Controls a worker thread that redacts conversations. */
export class RedactionThread extends RequestThread<string, ThreadResponse> {
  constructor() {
    super({
      file: new URL('./redaction-worker.ts', import.meta.url),
      name: 'redaction',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    })
  }
}
