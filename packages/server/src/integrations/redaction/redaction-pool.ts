import type { Clock } from '@parley/engine/ports'
import {
  RedactionFailedError,
  type RedactionResult,
  type RedactionRunner,
  type RedactionTask,
} from '../../features/post-processing/public.ts'
import { FairQueue } from '../fair-queue.ts'
import { WorkerPool } from '../worker-pool.ts'
import type { ThreadAnswer } from './redaction-protocol.ts'
import { RedactionThread } from './redaction-thread.ts'

export interface RedactionPoolOptions {
  readonly clock: Clock
  readonly createThread?: () => RedactionThread
}

/** A conversation that waits for a thread or is being redacted. */
interface Job {
  /** As JSON. */
  readonly task: string
  readonly succeed: (result: RedactionResult) => void
  readonly fail: (error: Error) => void
  thread: RedactionThread | null
  stopTimer: () => void
}

/** Two, so that a slow conversation of one workspace delays no other workspace. */
const MAX_THREADS = 2
const MAX_RUNNING_PER_WORKSPACE = 1
const IDLE_MS = 30_000
const MAX_WAIT_MS = 120_000
/** Redacting takes 2 ms per 1,000 characters at worst, so that only a pathological conversation gets here. */
const BASE_DEADLINE_MS = 10_000
const DEADLINE_MS_PER_CHARACTER = 0.02

/** Redacts conversations in threads. One that exceeds its deadline ends with its thread. */
export class RedactionPool implements RedactionRunner {
  readonly #clock: Clock
  readonly #waiting = new FairQueue<Job>({ maxRunningPerGroup: MAX_RUNNING_PER_WORKSPACE })
  readonly #running = new Set<Job>()
  readonly #threads: WorkerPool<RedactionThread>
  #isClosed = false

  constructor({ clock, createThread = () => new RedactionThread() }: RedactionPoolOptions) {
    this.#clock = clock
    this.#threads = new WorkerPool({
      clock,
      maxWorkers: MAX_THREADS,
      idleMs: IDLE_MS,
      start: createThread,
      onExit: () => this.#advance(),
    })
  }

  run(workspaceId: number, task: RedactionTask): Promise<RedactionResult> {
    if (this.#isClosed) return Promise.reject(failed('The server is stopping.'))
    return new Promise((succeed, fail) => {
      const stopTimer = this.#clock.after(MAX_WAIT_MS, () => this.#drop(job, failed('No thread was free in time.')))
      const job: Job = { task: JSON.stringify(task), succeed, fail, thread: null, stopTimer }
      this.#waiting.push(String(workspaceId), job)
      this.#advance()
    })
  }

  /** Ends all threads. Conversations that wait or are being redacted fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of [...this.#waiting.clear(), ...this.#running]) this.#drop(job, failed('The server is stopping.'))
    await this.#threads.close()
  }

  #drop(job: Job, error: Error): void {
    this.#waiting.remove(job)
    job.stopTimer()
    job.fail(error)
    void job.thread?.end()
  }

  #advance(): void {
    while (!this.#isClosed && this.#threads.hasRoom) {
      const job = this.#waiting.take()
      if (job === undefined) return
      job.stopTimer()
      const thread = this.#threads.take()
      if (thread !== null) void this.#work(thread, job)
      else {
        this.#waiting.finish(job)
        job.fail(failed('No thread could be started.'))
      }
    }
  }

  async #work(thread: RedactionThread, job: Job): Promise<void> {
    this.#running.add(job)
    job.thread = thread
    const deadlineMs = Math.round(BASE_DEADLINE_MS + job.task.length * DEADLINE_MS_PER_CHARACTER)
    job.stopTimer = this.#clock.after(deadlineMs, () => {
      this.#drop(job, failed(`Redacting the conversation took over ${deadlineMs} ms.`, true))
    })
    const answer = await thread.run(job.task)
    job.thread = null
    job.stopTimer()
    this.#running.delete(job)
    this.#waiting.finish(job)
    settle(job, answer)
    if (this.#isClosed) await thread.end()
    else if (thread.isAlive) this.#threads.rest(thread)
    this.#advance()
  }
}

function settle({ succeed, fail }: Job, answer: ThreadAnswer): void {
  if ('result' in answer) succeed(JSON.parse(answer.result) as RedactionResult)
  else fail(failed(`Redacting the conversation failed: ${answer.error}.`))
}

function failed(message: string, isTimeout = false): RedactionFailedError {
  return new RedactionFailedError(message, { isTimeout })
}
