import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { runInSandbox } from './sandbox.ts'
import { loadInterpreter, type SandboxInstance } from './sandbox-instance.ts'
import {
  OUT_OF_MEMORY,
  SANDBOX_FAILED,
  STACK_OVERFLOW,
  type ThreadData,
  type ThreadRequest,
  type ThreadResponse,
} from './sandbox-protocol.ts'

/** Lower priority than the rest of the process, so that code does not slow down conversations. */
const NICENESS = 5

/** Runs the thread that interprets customers' code, one run at a time and each in a new interpreter instance. */
async function runSandboxThread(): Promise<void> {
  const port = parentPort
  if (port === null) throw new Error('This file must run as a worker thread.')
  const stoppedRunNumber = new Int32Array((workerData as ThreadData).stoppedRunNumber)
  const createInstance = await loadInterpreter()
  // Only Linux supports priorities per thread. New threads inherit the priority, so it is lowered after the interpreter is
  // loaded, because loading can start the process's thread pool.
  if (process.platform === 'linux') lowerPriority()
  // Created in advance, because creating an instance takes longer than running most code.
  let nextInstance = createInstance()

  port.on('message', async (request: ThreadRequest) => {
    const instance = await nextInstance
    const response = runRequest(instance, request, () => Atomics.load(stoppedRunNumber, 0) === request.runNumber)
    port.postMessage(response)
    if (!response.isSpent) nextInstance = createInstance()
  })
}

function lowerPriority(): void {
  try {
    setPriority(NICENESS)
  } catch {
    // A container can forbid this. The code then runs with normal priority.
  }
}

function runRequest(instance: SandboxInstance, request: ThreadRequest, isStopped: () => boolean): ThreadResponse {
  try {
    return { outcome: runInSandbox(instance, request, isStopped), isSpent: instance.hasGrown() }
  } catch (error) {
    return { outcome: buildCrashOutcome(error, instance.hasGrown()), isSpent: true }
  }
}

/** Builds the outcome for an instance that crashed because it exceeded its stack or memory. */
function buildCrashOutcome(error: unknown, hasGrown: boolean): ThreadResponse['outcome'] {
  if (error instanceof RangeError) return STACK_OVERFLOW
  return hasGrown ? OUT_OF_MEMORY : SANDBOX_FAILED
}

await runSandboxThread()
