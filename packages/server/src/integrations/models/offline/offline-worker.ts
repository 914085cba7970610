import { parentPort } from 'node:worker_threads'
import { createOfflineModel } from '@parley/engine/dialogue/offline/offline-model'
import type { LanguageModel, ModelEvent } from '@parley/engine/ports'
import type { OfflineMessage, OfflineRequest } from './offline-protocol.ts'

/** The thread of the offline model: one request after the other, each answered at once. */
function runOfflineThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file runs as a worker thread only.')
  const model = createOfflineModel()
  port.on('message', (request: OfflineRequest) => {
    void answerOf(model, request).then((message) => port.postMessage(message))
  })
  port.postMessage({ kind: 'ready' } satisfies OfflineMessage)
}

async function answerOf(model: LanguageModel, request: OfflineRequest): Promise<OfflineMessage> {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream({ ...request, signal: new AbortController().signal })) events.push(event)
  } catch {
    return { kind: 'failed' }
  }
  return { kind: 'answer', events }
}

runOfflineThread()
