import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { runInSandbox } from './sandbox.ts'
import { loadInterpreter, type SandboxInstance } from './sandbox-instance.ts'
import {
  OUT_OF_MEMORY,
  SANDBOX_FAILED,
  STACK_OVERFLOW,
  type ThreadAnswer,
  type ThreadData,
  type ThreadRequest,
} from './sandbox-protocol.ts'

/** Lower priority than the rest of the process, so that busy code does not slow down conversations. */
const NICENESS = 5

/** The thread that interprets customers' code, one run at a time, each in a new instance. */
async function runSandboxThread(): Promise<void> {
  const port = parentPort
  if (port === null) throw new Error('This file must run as a worker thread.')
  const stoppedRunNumber = new Int32Array((workerData as ThreadData).stoppedRunNumber)
  const makeInstance = await loadInterpreter()
  // Only Linux has priorities per thread. Started threads inherit them, so this comes after reading the interpreter, which may
  // start the process's thread pool.
  if (process.platform === 'linux') lowerPriority()
  // Created in advance, since an instance takes longer to create than most code takes to run.
  let nextInstance = makeInstance()

  port.on('message', async (request: ThreadRequest) => {
    const instance = await nextInstance
    const answer = run(instance, request, () => Atomics.load(stoppedRunNumber, 0) === request.runNumber)
    port.postMessage(answer)
    if (!answer.isSpent) nextInstance = makeInstance()
  })
}

function lowerPriority(): void {
  try {
    setPriority(NICENESS)
  } catch {
    // A container may forbid this; the code then runs with normal priority.
  }
}

function run(instance: SandboxInstance, request: ThreadRequest, isStopped: () => boolean): ThreadAnswer {
  try {
    return { outcome: runInSandbox(instance, request, isStopped), isSpent: instance.hasGrown() }
  } catch (error) {
    return { outcome: outcomeOfCrash(error, instance.hasGrown()), isSpent: true }
  }
}

/** The instance crashed: it exceeded its stack or memory where the interpreter does not check. */
function outcomeOfCrash(error: unknown, hasGrown: boolean): ThreadAnswer['outcome'] {
  if (error instanceof RangeError) return STACK_OVERFLOW
  return hasGrown ? OUT_OF_MEMORY : SANDBOX_FAILED
}

await runSandboxThread()
