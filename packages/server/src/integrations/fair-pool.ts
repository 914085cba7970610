import { FairQueue, type PoolWorker, WorkerPool, type WorkerPoolOptions } from './worker-pool.ts'

interface FairPoolWorker extends PoolWorker {
  /** False once the worker accepts no more tasks. */
  readonly isAlive: boolean
  /** Settles when the worker can start its first task. Absent if it can start immediately. */
  readonly ready?: Promise<unknown>
}

/** Reason why a task did not produce an outcome. */
export type TaskFailure =
  | 'stopping'
  | 'cancelled'
  | 'queue-full'
  | 'not-started'
  /** No worker was free and ready in time. */
  | 'wait-timeout'
  | 'work-timeout'

export interface PoolTask<Worker, Outcome> {
  /** Group of the task. Groups take turns. */
  readonly group: string
  readonly signal?: AbortSignal
  readonly waitMs: number
  /** Returns the time limit of the work. Called when the work starts. */
  readonly getTimeLimitMs: () => number
  /** Does the work. Never rejects. */
  readonly run: (worker: Worker) => Promise<Outcome>
  /** Builds the outcome of a failed task. */
  readonly createFailedOutcome: (failure: TaskFailure) => Outcome
}

export interface FairPoolOptions<Worker> extends Omit<WorkerPoolOptions<Worker>, 'onExit'> {
  readonly maxRunningPerGroup: number
  readonly maxQueued?: number
  readonly maxQueuedPerGroup?: number
  /**
   * Stops the work of a failed task. Returns a function that is called when the work ends, to cancel a scheduled termination.
   * By default, the worker is terminated.
   */
  readonly abandon?: (worker: Worker) => () => void
  /** Whether the worker finishes canceled work instead of being stopped. Useful for work that takes only milliseconds. */
  readonly shouldFinishCancelledWork?: boolean
}

interface Job<Worker, Outcome> {
  readonly task: PoolTask<Worker, Outcome>
  readonly finish: (outcome: Outcome) => void
  worker: Worker | null
  isFinished: boolean
  /** Cancels the current timer: the wait timeout, the work timeout or the termination. */
  cancelTimer: () => void
}

const doNothing = (): void => {}

/**
 * Shares workers among the tasks of all groups. Groups take turns, and each group can occupy a limited number of workers.
 */
export class FairPool<Worker extends FairPoolWorker, Outcome> {
  readonly #options: FairPoolOptions<Worker>
  readonly #queue: FairQueue<Job<Worker, Outcome>>
  readonly #workers: WorkerPool<Worker>
  readonly #running = new Set<Job<Worker, Outcome>>()
  #isClosed = false

  constructor(options: FairPoolOptions<Worker>) {
    this.#options = options
    this.#queue = new FairQueue({ maxRunningPerGroup: options.maxRunningPerGroup })
    this.#workers = new WorkerPool({ ...options, onExit: () => this.#startTasks() })
  }

  /** Runs a task when a worker is free. Never rejects. */
  run(task: PoolTask<Worker, Outcome>): Promise<Outcome> {
    const { signal, group, waitMs } = task
    const rejection = this.#findRejection(task)
    if (rejection !== null) return Promise.resolve(task.createFailedOutcome(rejection))
    return new Promise((resolve) => {
      const cancel = (): void => this.#fail(job, 'cancelled')
      const job: Job<Worker, Outcome> = {
        task,
        worker: null,
        isFinished: false,
        cancelTimer: this.#options.clock.after(waitMs, () => this.#fail(job, 'wait-timeout')),
        finish(outcome) {
          job.isFinished = true
          signal?.removeEventListener('abort', cancel)
          resolve(outcome)
        },
      }
      signal?.addEventListener('abort', cancel, { once: true })
      this.#queue.push(group, job)
      this.#startTasks()
    })
  }

  /** Starts a worker in advance, so that the first task starts without delay. */
  warmUp(): void {
    if (this.#isClosed || this.#workers.size > 0) return
    const worker = this.#workers.acquire()
    if (worker !== null) this.#workers.release(worker)
  }

  /** Terminates all workers. Waiting and running tasks fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of [...this.#queue.clear(), ...this.#running]) this.#fail(job, 'stopping')
    await this.#workers.close()
  }

  #findRejection({ group, signal }: PoolTask<Worker, Outcome>): TaskFailure | null {
    const { maxQueued = Number.POSITIVE_INFINITY, maxQueuedPerGroup = maxQueued } = this.#options
    if (this.#isClosed) return 'stopping'
    if (signal?.aborted) return 'cancelled'
    const isFull = this.#queue.size >= maxQueued || this.#queue.getGroupSize(group) >= maxQueuedPerGroup
    return isFull ? 'queue-full' : null
  }

  #fail(job: Job<Worker, Outcome>, failure: TaskFailure): void {
    const { abandon = terminateWorker, shouldFinishCancelledWork } = this.#options
    const { worker } = job
    if (worker === null || failure !== 'cancelled' || shouldFinishCancelledWork !== true) {
      this.#queue.remove(job)
      job.cancelTimer()
      if (worker !== null) job.cancelTimer = abandon(worker)
    }
    job.finish(job.task.createFailedOutcome(failure))
  }

  #startTasks(): void {
    while (!this.#isClosed && this.#workers.hasCapacity) {
      const job = this.#queue.take()
      if (job === undefined) return
      const worker = this.#workers.acquire()
      if (worker !== null) void this.#runJob(worker, job)
      else {
        this.#queue.finish(job)
        this.#fail(job, 'not-started')
      }
    }
  }

  async #runJob(worker: Worker, job: Job<Worker, Outcome>): Promise<void> {
    const { task } = job
    this.#running.add(job)
    job.worker = worker
    if (worker.ready !== undefined) await worker.ready
    if (!job.isFinished) {
      job.cancelTimer()
      job.cancelTimer = this.#options.clock.after(task.getTimeLimitMs(), () => this.#fail(job, 'work-timeout'))
      const outcome = await task.run(worker)
      if (!job.isFinished) job.finish(outcome)
    }
    job.cancelTimer()
    this.#running.delete(job)
    this.#queue.finish(job)
    if (this.#isClosed || !worker.isAlive) await worker.terminate()
    else this.#workers.release(worker)
    this.#startTasks()
  }
}

function terminateWorker(worker: PoolWorker): () => void {
  void worker.terminate()
  return doNothing
}
