import type { Clock } from '@parley/engine/ports'
import type { VoiceClassifiers } from '../../../features/calls/public.ts'
import { CallerClassifier, GATE_MODE } from './caller-classifier.ts'
import { loadFvad } from './fvad.ts'
import { SileroQueue, type SileroThread } from './silero-queue.ts'

/** Time without callers after which the model is unloaded, which frees about 150 MB. */
const IDLE_MS = 300_000

export interface SileroClassifiersOptions {
  readonly clock: Clock
  /** Logs failures of the model. Calls continue with a simpler detector. */
  readonly logError: (error: unknown) => void
  readonly startThread?: () => SileroThread
}

/** The voice classifiers of this process. All calls share one thread. */
export interface SileroClassifiers {
  /** Loads what the first caller needs and starts to load the model. Calls use a simpler detector until it is loaded. */
  load(): Promise<VoiceClassifiers>
  /** Resolves when the model is loaded or has failed. Never rejects. */
  whenReady(): Promise<void>
  /** Resolves when no window waits for its result. */
  whenIdle(): Promise<void>
  /** Unloads the model. Open classifiers continue with the simpler detector. */
  close(): Promise<void>
}

/** Creates the voice classifiers. The model is loaded for the first caller and unloaded some time after the last one. */
export function createSileroClassifiers(options: SileroClassifiersOptions): SileroClassifiers {
  const { clock } = options
  const queue = new SileroQueue(options)
  const callerIds = new Set<number>()
  let lastCallerId = 0
  let cancelUnload = (): void => {}
  let isClosed = false

  function startQueue(): Promise<void> {
    cancelUnload()
    if (isClosed) return Promise.resolve()
    if (callerIds.size === 0) {
      cancelUnload = clock.after(IDLE_MS, () => {
        if (callerIds.size === 0) void queue.stop()
      })
    }
    return queue.start()
  }

  function closeCaller(callerId: number): void {
    callerIds.delete(callerId)
    if (callerIds.size === 0) void startQueue()
  }

  return {
    async load() {
      const fvad = await loadFvad()
      void startQueue()
      return {
        open(rateHz, onResult) {
          const detector = fvad.open(rateHz, GATE_MODE)
          lastCallerId += 1
          const callerId = lastCallerId
          callerIds.add(callerId)
          void startQueue()
          const onClose = (): void => closeCaller(callerId)
          return new CallerClassifier({ callerId, rateHz, detector, queue, onResult, onClose })
        },
      }
    },
    whenReady: startQueue,
    whenIdle: () => queue.whenIdle(),
    async close() {
      isClosed = true
      cancelUnload()
      await queue.stop()
    },
  }
}
