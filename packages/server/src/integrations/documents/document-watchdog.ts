import { workerData } from 'node:worker_threads'
import { MEMORY_SIGNAL, type WatchdogOptions } from './document-protocol.ts'

const LOOK_MS = 25

/** Looks after a busy process from a thread of its own, since no parser lets anything else run in between. */
function runWatchdog({ busy, memoryBytes, parentId }: WatchdogOptions): void {
  const state = new Int32Array(busy)
  for (;;) {
    Atomics.wait(state, 0, 0)
    Atomics.wait(state, 0, 1, LOOK_MS)
    if (process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, MEMORY_SIGNAL)
    // The server is gone: nobody waits for the document, and nobody else would end a parser that never does.
    if (process.ppid !== parentId) process.kill(process.pid, 'SIGKILL')
  }
}

runWatchdog(workerData as WatchdogOptions)
