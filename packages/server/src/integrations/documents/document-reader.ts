import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { PreparedChunk, RawDocument } from '../../features/knowledge/public.ts'
import {
  type Answer,
  CHANNEL,
  type PrepareCommand,
  type PreparedBatch,
  type ReaderCommand,
  type ReaderOptions,
  receiveFrames,
  sendFrame,
  type WatchdogOptions,
} from './document-protocol.ts'
import { prepareDocument } from './prepare-document.ts'

/** A lower priority than other processes, so that long documents do not slow down conversations. */
const NICENESS = 5
/** The system terminates this process first if it runs out of memory. */
const HIGHEST_OOM_SCORE = '1000'

/** Maximum size of one message, which blocks the server's main thread for a few milliseconds at most. */
const BATCH_CHARACTERS = 256 * 1024
const BATCH_CHUNKS = 500

/** Runs the process that reads documents, one at a time, until its channel ends. */
function runDocumentReader(): void {
  const setting = JSON.parse(process.argv[2] ?? '') as ReaderOptions
  runIfAllowed(() => setPriority(NICENESS))
  runIfAllowed(() => writeFileSync('/proc/self/oom_score_adj', HIGHEST_OOM_SCORE))
  const channel = new Socket({ fd: CHANNEL, readable: true, writable: true })
  const leave = (): never => process.exit(0)
  channel.on('end', leave).on('error', leave)
  const setBusy = startWatch(setting)
  let waiting: readonly PreparedChunk[] = []

  receiveFrames<ReaderCommand>(channel, ({ value: order, bytes }) => {
    if ('more' in order) {
      const batch = takeNextBatch(waiting)
      waiting = waiting.slice(batch.chunks.length)
      sendFrame(channel, batch satisfies Answer)
    } else {
      setBusy(true)
      void prepare(order, { ...order.document, bytes }).then(({ answer, chunks, segment }) => {
        setBusy(false)
        waiting = chunks
        sendFrame(channel, answer, segment)
      })
    }
  })
}

interface Prepared {
  readonly answer: Answer
  readonly chunks: readonly PreparedChunk[]
  readonly segment: Uint8Array | undefined
}

async function prepare({ sizes, limits }: PrepareCommand, document: RawDocument): Promise<Prepared> {
  const outcome = await prepareDocument({ document, sizes, limits })
  if (!outcome.ok) return { answer: outcome, chunks: [], segment: undefined }
  const { ok, chunks, segment, ...prepared } = outcome
  return { answer: { ok, prepared }, chunks, segment }
}

function takeNextBatch(chunks: readonly PreparedChunk[]): PreparedBatch {
  let characters = 0
  let count = 0
  for (const chunk of chunks.slice(0, BATCH_CHUNKS)) {
    characters += chunk.text.length
    count += 1
    if (characters >= BATCH_CHARACTERS) break
  }
  return { chunks: chunks.slice(0, count), isLast: count === chunks.length }
}

/**
 * Starts the thread that terminates this process if it exceeds its limits. The thread checks only while the process is working.
 */
function startWatch(setting: ReaderOptions): (isBusy: boolean) => void {
  const busy = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const workerData: WatchdogOptions = { ...setting, busy: busy.buffer }
  new Worker(new URL('./document-watchdog.ts', import.meta.url), { workerData, name: 'watch' }).unref()
  return (isBusy) => {
    Atomics.store(busy, 0, isBusy ? 1 : 0)
    Atomics.notify(busy, 0)
  }
}

/** Runs an action that a system or container can forbid. */
function runIfAllowed(run: () => void): void {
  try {
    run()
  } catch {
    // Reading then runs with normal priority, within its limits.
  }
}

runDocumentReader()
