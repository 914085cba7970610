import type { VoiceClassifiers } from '../../../features/calls/public.ts'
import { loadFvad } from './fvad.ts'

/** Loads the voice classifiers of this process. */
export async function loadVoiceClassifiers(): Promise<VoiceClassifiers> {
  const fvad = await loadFvad()
  return {
    open(rateHz, onResult) {
      const detector = fvad.open(rateHz, 3)
      return {
        push: (frame, startSample) =>
          onResult({ endSample: startSample + frame.length, probability: detector.isVoice(frame) ? 1 : 0 }),
        close: () => detector.close(),
      }
    },
  }
}
