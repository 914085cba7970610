import { workerData } from 'node:worker_threads'
import { MEMORY_SIGNAL, type WatchdogOptions } from './document-protocol.ts'

const CHECK_INTERVAL_MS = 25

/** Watches a busy process from a separate thread, because parsers block the event loop. */
function runWatchdog({ busy, memoryBytes, parentId }: WatchdogOptions): void {
  const state = new Int32Array(busy)
  for (;;) {
    Atomics.wait(state, 0, 0)
    Atomics.wait(state, 0, 1, CHECK_INTERVAL_MS)
    if (process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, MEMORY_SIGNAL)
    // The server has exited, so nothing else would terminate a parser in an infinite loop.
    if (process.ppid !== parentId) process.kill(process.pid, 'SIGKILL')
  }
}

runWatchdog(workerData as WatchdogOptions)
