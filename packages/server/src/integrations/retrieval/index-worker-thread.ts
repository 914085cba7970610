import { parentPort } from 'node:worker_threads'
import { IndexHolder, type IndexRequestMessage, type IndexResponseMessage } from './index-holder.ts'

/** Runs the thread that holds the indexes. Requests are short, so that loading an index does not delay searches. */
function runIndexThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file must run as a worker thread.')
  const holder = new IndexHolder()
  port.on('message', (message: IndexRequestMessage) => port.postMessage(runRequest(holder, message)))
}

function runRequest(holder: IndexHolder, { number, request }: IndexRequestMessage): IndexResponseMessage {
  try {
    return { number, response: holder.handle(request) }
  } catch (error) {
    return { number, error: error instanceof Error ? error.message : 'unknown' }
  }
}

runIndexThread()
