import type { Clock, CodeOutcome, CodeRun, CodeRunner } from '@parley/engine/ports'
import { FairPool, type TaskFailure } from '../fair-pool.ts'
import { RequestThread } from '../worker-thread.ts'
import {
  CANCELLED,
  createFailedOutcome,
  INPUT_TOO_LARGE,
  NOT_STARTED,
  QUEUE_FULL,
  SANDBOX_FAILED,
  SANDBOX_LIMITS,
  type SandboxOutcome,
  type SandboxRequest,
  STOPPING,
  type ThreadData,
  type ThreadRequest,
  type ThreadResponse,
} from './sandbox-protocol.ts'

export interface CodeRunnerOptions {
  readonly clock: Clock
  /** Maximum number of threads that run code. If there are several threads, one workspace cannot occupy all of them. */
  readonly threads?: number
  /** Maximum number of waiting runs. Further runs fail with the reason `unavailable`. */
  readonly maxQueued?: number
  readonly maxQueuedPerWorkspace?: number
  /** Time after which an idle thread is terminated. */
  readonly idleMs?: number
}

/** Runs the code of all workspaces, which take turns. */
export interface CodeRunners {
  forWorkspace(workspaceId: number): CodeRunner
  /** Terminates running and waiting code. Later runs fail with the reason `unavailable`. */
  close(): Promise<void>
}

/** Time that code has to stop before its thread is terminated. */
const STOP_GRACE_MS = 250

/** Creates the runners for `code` tools and nodes. Interpreter threads start on demand. */
export function createCodeRunner({
  clock,
  threads = 2,
  maxQueued = 200,
  maxQueuedPerWorkspace = 50,
  idleMs = 2 * 60_000,
}: CodeRunnerOptions): CodeRunners {
  const pool = new FairPool<SandboxThread, SandboxOutcome>({
    clock,
    maxWorkers: threads,
    maxRunningPerGroup: Math.max(1, threads - 1),
    maxQueued,
    maxQueuedPerGroup: maxQueuedPerWorkspace,
    idleMs,
    start: () => new SandboxThread(),
    abandon(thread) {
      thread.stop()
      return clock.after(STOP_GRACE_MS, () => void thread.terminate())
    },
  })

  async function runWithTimeout(code: CodeRun, group: string): Promise<SandboxOutcome> {
    const request = toRequest(code)
    if (request === null) return INPUT_TOO_LARGE
    const { timeoutMs, signal } = code
    // The time limit includes the time in the queue.
    const deadlineMs = clock.now() + timeoutMs
    return await pool.run({
      group,
      signal,
      waitMs: timeoutMs,
      getTimeLimitMs: () => deadlineMs - clock.now(),
      run: (thread) => thread.run(request),
      createFailedOutcome: (failure) => toSandboxOutcome(failure, timeoutMs),
    })
  }

  return {
    forWorkspace: (workspaceId) => ({
      async run(code) {
        const startedAtMs = clock.now()
        const outcome = await runWithTimeout(code, String(workspaceId))
        return { ...outcome, durationMs: clock.now() - startedAtMs } satisfies CodeOutcome
      },
    }),
    close: () => pool.close(),
  }
}

function toSandboxOutcome(failure: TaskFailure, timeoutMs: number): SandboxOutcome {
  switch (failure) {
    case 'stopping':
      return STOPPING
    case 'cancelled':
      return CANCELLED
    case 'queue-full':
      return QUEUE_FULL
    case 'not-started':
      return NOT_STARTED
    case 'wait-timeout':
      return createFailedOutcome(
        'timeout',
        `The code did not start within ${timeoutMs} ms because too much other code was running.`,
      )
    case 'work-timeout':
      return createFailedOutcome('timeout', `The code did not finish within ${timeoutMs} ms.`)
  }
}

/** Serializes a run. Returns null if the run is larger than a sandbox allows. */
function toRequest({ code, variables, metadata }: CodeRun): SandboxRequest | null {
  let request: SandboxRequest
  try {
    request = { code, variablesText: JSON.stringify(variables), metadataText: JSON.stringify(metadata) }
  } catch {
    // The values are nested too deeply for the stack.
    return null
  }
  const characterCount = code.length + request.variablesText.length + request.metadataText.length
  return characterCount > SANDBOX_LIMITS.inputCharacters ? null : request
}

/** Resource limits of the thread. The interpreter's memory is outside the heap and has its own limit. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

/** Controls a worker thread that interprets code. */
class SandboxThread extends RequestThread<ThreadRequest, ThreadResponse> {
  readonly #stoppedRunNumber: Int32Array
  #runNumber = 0

  constructor() {
    const stoppedRunNumber = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    super({
      file: new URL('./sandbox-worker.ts', import.meta.url),
      name: 'code-sandbox',
      resourceLimits: RESOURCE_LIMITS,
      workerData: { stoppedRunNumber: stoppedRunNumber.buffer } satisfies ThreadData,
    })
    this.#stoppedRunNumber = stoppedRunNumber
  }

  /** Runs code in the thread. The previous run must have finished. Never rejects. */
  async run(request: SandboxRequest): Promise<SandboxOutcome> {
    this.#runNumber += 1
    const response = await this.send({ ...request, runNumber: this.#runNumber })
    if (response?.isSpent === true) void this.terminate()
    return response?.outcome ?? SANDBOX_FAILED
  }

  /** Asks the running code to stop. Some built-in operations cannot be interrupted. */
  stop(): void {
    Atomics.store(this.#stoppedRunNumber, 0, this.#runNumber)
  }
}
