import { parentPort } from 'node:worker_threads'
import type { LanguageModel, ModelEvent, ModelRequest } from '@parley/engine/ports'
import { createOfflineModel } from '@parley/offline-model/offline-model'

/** Runs the thread of the offline model, which handles one request at a time. */
function runOfflineThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file must run as a worker thread.')
  const model = createOfflineModel()
  port.on('message', (request: OfflineRequest) => {
    void runRequest(model, request).then((message) => port.postMessage(message))
  })
  port.postMessage({ kind: 'ready' } satisfies OfflineMessage)
}

async function runRequest(model: LanguageModel, request: OfflineRequest): Promise<OfflineMessage> {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream({ ...request, signal: new AbortController().signal })) events.push(event)
  } catch {
    return { kind: 'failed' }
  }
  return { kind: 'answer', events }
}

runOfflineThread()

/** A request to the thread, which cannot include a signal. */
export type OfflineRequest = Omit<ModelRequest, 'signal'>

/**
 * A message from the thread. `ready` comes once, followed by one response per request, in order. `failed` means that the model
 * threw.
 */
export type OfflineMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly events: readonly ModelEvent[] }
  | { readonly kind: 'failed' }
