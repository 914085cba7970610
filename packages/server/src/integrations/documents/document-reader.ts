import { Worker } from 'node:worker_threads'
import type { PreparedChunk, RawDocument } from '../../features/knowledge/public.ts'
import { openParentChannel, receiveFrames, sendFrame, yieldToServer } from '../process-channel.ts'
import type {
  PrepareCommand,
  PreparedBatch,
  ReaderCommand,
  ReaderOptions,
  ReaderResponse,
  WatchdogOptions,
} from './document-protocol.ts'
import { prepareDocument } from './prepare-document.ts'

/** Lower priority than the server's, so that long documents do not slow down conversations. */
const NICENESS = 5

/** Maximum size of one message. Reading a message blocks the server's main thread for a few milliseconds at most. */
const BATCH_CHARACTERS = 256 * 1024
const BATCH_CHUNKS = 500

/** Runs the process that reads documents, one at a time, until its channel ends. */
function runDocumentReader(): void {
  const options = JSON.parse(process.argv[2] ?? '') as ReaderOptions
  yieldToServer(NICENESS)
  const channel = openParentChannel()
  const setBusy = startWatchdog(options)
  let remainingChunks: readonly PreparedChunk[] = []

  receiveFrames<ReaderCommand>(channel, ({ value: command, bytes }) => {
    if ('more' in command) {
      const batch = takeNextBatch(remainingChunks)
      remainingChunks = remainingChunks.slice(batch.chunks.length)
      sendFrame(channel, batch satisfies ReaderResponse)
    } else {
      setBusy(true)
      void prepare(command, { ...command.document, bytes }).then(({ response, chunks, segment }) => {
        setBusy(false)
        remainingChunks = chunks
        sendFrame(channel, response, segment)
      })
    }
  })
}

interface PrepareResult {
  readonly response: ReaderResponse
  readonly chunks: readonly PreparedChunk[]
  readonly segment: Uint8Array | undefined
}

async function prepare({ sizes, limits }: PrepareCommand, document: RawDocument): Promise<PrepareResult> {
  const outcome = await prepareDocument({ document, sizes, limits })
  if (!outcome.ok) return { response: outcome, chunks: [], segment: undefined }
  const { ok, chunks, segment, ...prepared } = outcome
  return { response: { ok, prepared }, chunks, segment }
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
 * Starts a thread that terminates this process if it exceeds its memory limit while it is working.
 */
function startWatchdog(options: ReaderOptions): (isBusy: boolean) => void {
  const busy = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const workerData: WatchdogOptions = { ...options, busy: busy.buffer }
  new Worker(new URL('./document-watchdog.ts', import.meta.url), { workerData, name: 'watch' }).unref()
  return (isBusy) => {
    Atomics.store(busy, 0, isBusy ? 1 : 0)
    Atomics.notify(busy, 0)
  }
}

runDocumentReader()
