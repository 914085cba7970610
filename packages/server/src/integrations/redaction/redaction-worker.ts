import { parentPort } from 'node:worker_threads'
import { performRedaction, type RedactionTask } from '../../features/post-processing/public.ts'
import type { ThreadAnswer } from './redaction-protocol.ts'

/** The thread that redacts: one conversation after another, both ways as JSON. */
function runRedactionThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file runs as a worker thread only.')
  port.on('message', (task: string) => port.postMessage(answerTo(task)))
}

/** Errors are told by their names: messages may quote the conversation. */
function answerTo(task: string): ThreadAnswer {
  try {
    return { result: JSON.stringify(performRedaction(JSON.parse(task) as RedactionTask)) }
  } catch (error) {
    return { error: error instanceof Error ? error.name : 'unknown' }
  }
}

runRedactionThread()
