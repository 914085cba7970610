import { parentPort } from 'node:worker_threads'
import { IndexHolder } from './index-holder.ts'
import type { IndexAnswerMessage, IndexRequestMessage } from './index-protocol.ts'

/** The thread that holds the indexes: one request after the other, each short, so that searches come in between of loads. */
function runIndexThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file runs as a worker thread only.')
  const holder = new IndexHolder()
  port.on('message', (message: IndexRequestMessage) => port.postMessage(answerOf(holder, message)))
}

function answerOf(holder: IndexHolder, { number, request }: IndexRequestMessage): IndexAnswerMessage {
  try {
    return { number, answer: holder.handle(request) }
  } catch (error) {
    return { number, error: error instanceof Error ? error.message : 'unknown' }
  }
}

runIndexThread()
