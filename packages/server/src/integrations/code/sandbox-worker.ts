import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { runInSandbox } from './sandbox.ts'
import { OUT_OF_MEMORY, SANDBOX_FAILED, STACK_OVERFLOW } from './sandbox-failures.ts'
import { loadInterpreter, type SandboxInstance } from './sandbox-instance.ts'
import type { ThreadAnswer, ThreadData, ThreadRequest } from './sandbox-protocol.ts'

/** Behind everything else that the process does: a busy piece of code must not slow down the conversations. */
const NICENESS = 5

/** The thread that interprets customers' code, one run at a time, each in an instance of its own. */
async function runSandboxThread(): Promise<void> {
  const port = parentPort
  if (port === null) throw new Error('This file runs as a worker thread only.')
  const stoppedRunNumber = new Int32Array((workerData as ThreadData).stoppedRunNumber)
  const makeInstance = await loadInterpreter()
  // Only on Linux is this the priority of the thread alone. Threads that it starts inherit it, so it comes after reading the
  // interpreter, which starts the process's pool of threads if nothing has done so before.
  if (process.platform === 'linux') lowerPriority()
  // Made while nothing waits for it, since making an instance takes longer than most code.
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
    // A container may forbid it. Then code competes with the rest, within its limits.
  }
}

function run(instance: SandboxInstance, request: ThreadRequest, isStopped: () => boolean): ThreadAnswer {
  try {
    return { outcome: runInSandbox(instance, request, isStopped), isSpent: instance.hasGrown() }
  } catch (error) {
    return { outcome: outcomeOfCrash(error, instance.hasGrown()), isSpent: true }
  }
}

/** The instance itself gave up: its stack or its memory ended where the interpreter does not look. */
function outcomeOfCrash(error: unknown, hasGrown: boolean): ThreadAnswer['outcome'] {
  if (error instanceof RangeError) return STACK_OVERFLOW
  return hasGrown ? OUT_OF_MEMORY : SANDBOX_FAILED
}

await runSandboxThread()
