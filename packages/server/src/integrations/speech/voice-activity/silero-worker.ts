import { parentPort } from 'node:worker_threads'
import { SileroModel } from './silero-model.ts'
import { countWindowSamples, decodeWindows, type SileroBatch, type SileroResponse } from './silero-protocol.ts'

/** Number of runs after which most code is compiled. */
const WARM_UP_RUNS = 10

/** Runs the thread that classifies the windows of all callers, one batch at a time. Loads the model for the first batch. */
function runSileroThread(): void {
  const port = parentPort
  if (port === null) throw new Error('This file must run as a worker thread.')
  let pendingModel: Promise<SileroModel> | null = null
  const classify = async (batch: SileroBatch): Promise<SileroResponse> => {
    try {
      pendingModel ??= loadModel()
      const model = await pendingModel
      for (const callerId of batch.closedCallerIds) model.forget(callerId)
      return { probabilities: await model.classify(decodeWindows(batch)) }
    } catch (error) {
      return { failure: error instanceof Error ? `${error.name}: ${error.message}` : typeof error }
    }
  }
  port.on('message', async (batch: SileroBatch) => port.postMessage(await classify(batch)))
}

/** Loads the model and compiles its code, because the first windows would take too long otherwise. */
async function loadModel(): Promise<SileroModel> {
  const model = await SileroModel.load()
  for (const rateHz of [8_000, 16_000] as const) {
    const samples = new Int16Array(countWindowSamples(rateHz))
    const windows = [0, 1].map((callerId) => ({ callerId, rateHz, isReset: true, samples }))
    for (let run = 0; run < WARM_UP_RUNS; run += 1) await model.classify(windows)
  }
  for (const callerId of [0, 1]) model.forget(callerId)
  return model
}

runSileroThread()
