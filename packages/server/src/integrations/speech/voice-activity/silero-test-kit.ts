import type { VoiceClassifiers } from '../../../features/calls/public.ts'
import { CallerClassifier, GATE_MODE, type WindowQueue } from './caller-classifier.ts'
import { loadFvad } from './fvad.ts'
import { SileroModel } from './silero-model.ts'

interface DirectClassifiers extends VoiceClassifiers {
  /** Resolves when all windows are classified. */
  whenIdle(): Promise<void>
}

/** Creates classifiers that run the model in this thread without deadlines, so that results do not depend on the machine. */
export async function createDirectClassifiers(): Promise<DirectClassifiers> {
  const [fvad, model] = await Promise.all([loadFvad(), SileroModel.load()])
  let pending = Promise.resolve()
  const queue: WindowQueue = {
    isReady: true,
    generation: 1,
    push(window) {
      pending = pending.then(async () => {
        const [probability = 0] = await model.classify([window])
        window.onResult?.(probability)
      })
    },
    forget: (callerId) => model.forget(callerId),
  }
  let lastCallerId = 0
  return {
    open(rateHz, onResult) {
      lastCallerId += 1
      const detector = fvad.open(rateHz, GATE_MODE)
      return new CallerClassifier({ callerId: lastCallerId, rateHz, detector, queue, onResult, onClose: () => {} })
    },
    async whenIdle() {
      await pending
    },
  }
}
