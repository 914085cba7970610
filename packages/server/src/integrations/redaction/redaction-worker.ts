import { parentPort } from 'node:worker_threads'
import { performRedaction, type RedactionTask } from '../../features/post-processing/public.ts'

/** Runs the thread that redacts conversations one at a time. Tasks and results are JSON. */
function runRedactionThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file must run as a worker thread.')
  port.on('message', (task: string) => port.postMessage(redactConversation(task)))
}

/** Redacts one conversation. Returns only the name of an error, because its message can quote the conversation. */
function redactConversation(task: string): ThreadResponse {
  try {
    return { result: JSON.stringify(performRedaction(JSON.parse(task) as RedactionTask)) }
  } catch (error) {
    return { error: error instanceof Error ? error.name : 'unknown' }
  }
}

runRedactionThread()

/** A redacted conversation as JSON, or the name of the error that stopped the redaction. */
export type ThreadResponse = { readonly result: string } | { readonly error: string }
