import { parentPort, workerData } from 'node:worker_threads'
import { SmartTurnModel } from './smart-turn-model.ts'
import type { SmartTurnRequest, SmartTurnResponse } from './smart-turn-protocol.ts'

/** Runs the thread that estimates ends of turns, one at a time. Loads the model for the first request. */
function runSmartTurnThread(path: string): void {
  const port = parentPort
  if (port === null) throw new Error('This file must run as a worker thread.')
  let pendingModel: Promise<SmartTurnModel> | null = null
  const respond = async (request: SmartTurnRequest): Promise<SmartTurnResponse> => {
    try {
      pendingModel ??= SmartTurnModel.load(path)
      const model = await pendingModel
      return { probability: request === 'load' ? 0 : await model.estimate(request) }
    } catch (error) {
      return { failure: error instanceof Error ? error.message : typeof error }
    }
  }
  port.on('message', async (request: SmartTurnRequest) => port.postMessage(await respond(request)))
}

runSmartTurnThread(workerData as string)
