import type { Clock, CodeOutcome, CodeRun, CodeRunner } from '@parley/engine/ports'
import { CANCELLED, INPUT_TOO_LARGE } from './sandbox-failures.ts'
import { SANDBOX_LIMITS } from './sandbox-limits.ts'
import { type SandboxJob, SandboxPool } from './sandbox-pool.ts'
import { failed, type SandboxOutcome, type SandboxRequest } from './sandbox-protocol.ts'

export interface CodeRunnerOptions {
  readonly clock: Clock
  /** Pieces of code that run at the same time; one of the threads is never given to a workspace that has another. */
  readonly threads?: number
  /** Pieces of code that may wait for a thread; further ones are `unavailable`. */
  readonly maxQueued?: number
  /** Those of one workspace among them. */
  readonly maxQueuedPerWorkspace?: number
  /** A thread without work for this long is ended. */
  readonly idleMs?: number
}

/** Runs the code of all workspaces, which take turns. */
export interface CodeRunners {
  forWorkspace(workspaceId: number): CodeRunner
  /** Ends what runs and waits; later runs are `unavailable`. */
  close(): Promise<void>
}

/** Makes the runner of `code` tools and nodes: interpreters in threads, which start at the first run. */
export function createCodeRunner({
  clock,
  threads = 2,
  maxQueued = 200,
  maxQueuedPerWorkspace = 50,
  idleMs = 2 * 60_000,
}: CodeRunnerOptions): CodeRunners {
  const pool = new SandboxPool({
    clock,
    maxThreads: threads,
    maxThreadsPerGroup: Math.max(1, threads - 1),
    maxQueued,
    maxQueuedPerGroup: maxQueuedPerWorkspace,
    idleMs,
  })
  return {
    forWorkspace: (workspaceId) => ({
      async run(run) {
        const startedAtMs = clock.now()
        const outcome = await runOnPool(run, { group: String(workspaceId), pool, clock })
        return { ...outcome, durationMs: clock.now() - startedAtMs } satisfies CodeOutcome
      },
    }),
    close: () => pool.close(),
  }
}

interface RunContext {
  readonly group: string
  readonly pool: SandboxPool
  readonly clock: Clock
}

/** Waiting counts against the run's time. */
function runOnPool(run: CodeRun, { group, pool, clock }: RunContext): Promise<SandboxOutcome> {
  const request = toRequest(run)
  if (request === null) return Promise.resolve(INPUT_TOO_LARGE)
  if (run.signal.aborted) return Promise.resolve(CANCELLED)
  return new Promise((resolve) => {
    const settle = (outcome: SandboxOutcome): void => {
      cancelDeadline()
      run.signal.removeEventListener('abort', onAbort)
      resolve(outcome)
    }
    const job: SandboxJob = { group, request, answered: settle }
    const onAbort = (): void => {
      pool.drop(job)
      settle(CANCELLED)
    }
    const cancelDeadline = clock.after(run.timeoutMs, () => settle(timedOut(pool.drop(job), run.timeoutMs)))
    run.signal.addEventListener('abort', onAbort, { once: true })
    pool.submit(job)
  })
}

function timedOut(place: 'waiting' | 'running', timeoutMs: number): SandboxOutcome {
  if (place === 'running') return failed('timeout', `The code did not finish within ${timeoutMs} ms.`)
  return failed('timeout', `The code did not start within ${timeoutMs} ms because too much other code was running.`)
}

/** Null when it is more than a sandbox takes. */
function toRequest({ code, variables, metadata }: CodeRun): SandboxRequest | null {
  let request: SandboxRequest
  try {
    request = { code, variablesText: JSON.stringify(variables), metadataText: JSON.stringify(metadata) }
  } catch {
    // Nested more deeply than the stack is.
    return null
  }
  const characters = code.length + request.variablesText.length + request.metadataText.length
  return characters > SANDBOX_LIMITS.inputCharacters ? null : request
}
