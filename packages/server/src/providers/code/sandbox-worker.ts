import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { runInSandbox } from './sandbox.ts'
import { loadInterpreter } from './sandbox-instance.ts'
import { failed, type ThreadAnswer, type ThreadData, type ThreadRequest } from './sandbox-protocol.ts'
import { OUT_OF_MEMORY, STACK_OVERFLOW } from './thrown-error.ts'

/** Behind everything else that the process does: a busy piece of code must not slow down the conversations. */
const NICENESS = 10

/** The thread that interprets customers' code, one run at a time, each in an instance of its own. */
async function runSandboxThread(): Promise<void> {
  const port = parentPort
  if (port === null) throw new Error('This file runs as a worker thread only.')
  const stoppedRun = new Int32Array((workerData as ThreadData).stoppedRun)
  // Only there is the priority that of the thread and not of the process.
  if (process.platform === 'linux') setPriority(NICENESS)
  const makeInstance = await loadInterpreter()

  const run = async (request: ThreadRequest): Promise<ThreadAnswer> => {
    const instance = await makeInstance()
    const isStopped = (): boolean => Atomics.load(stoppedRun, 0) === request.runNumber
    try {
      const outcome = runInSandbox(instance, request, isStopped)
      return { outcome, isSpent: instance.hasGrown() }
    } catch (error) {
      return { outcome: outcomeOfBreak(error, instance.hasGrown()), isSpent: true }
    }
  }
  port.on('message', (request: ThreadRequest) => {
    run(request).then(
      (answer) => port.postMessage(answer),
      (error: unknown) => {
        throw error
      },
    )
  })
}

/** The instance itself gave up: its stack or its memory ended where the interpreter does not look. */
function outcomeOfBreak(error: unknown, hasGrown: boolean): ThreadAnswer['outcome'] {
  if (error instanceof RangeError) return STACK_OVERFLOW
  return hasGrown ? OUT_OF_MEMORY : failed('unavailable', 'The code could not be run because the sandbox failed.')
}

await runSandboxThread()
