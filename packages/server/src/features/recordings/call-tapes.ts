import type { LegRateHz } from '@parley/engine/audio/frame'
import { createRecorder } from '@parley/engine/audio/recorder'
import type { CallTapes } from '../calls/public.ts'
import { segmentKey } from './recording-layout.ts'
import type { SegmentQueue } from './segment-queue.ts'

/** What a crash may take of a recording: this, and the two seconds that the recorder waits for what comes late. */
const SEGMENT_MS: Readonly<Record<LegRateHz, number>> = {
  8000: 4_000,
  // Half as long, so that a call does not need twice the memory.
  16000: 2_000,
}

export interface CallTapesDependencies {
  readonly queue: Pick<SegmentQueue, 'add'>
  /** This node writes no more of the call: what was written although its recording has to go is removed. */
  readonly removeUnkept: (callId: string) => Promise<void>
  readonly logError: (name: string, error: unknown) => void
}

/** Tapes that are written in segments while the call runs, so that nothing has to be finished after a crash. */
export function createCallTapes({ queue, removeUnkept, logError }: CallTapesDependencies): CallTapes {
  return {
    open({ callId, rateHz, onTrouble }) {
      let isTroubled = false
      const writes = new Set<Promise<void>>()
      async function keep(key: string, bytes: Uint8Array): Promise<void> {
        if ((await queue.add(key, bytes)) || isTroubled) return
        isTroubled = true
        onTrouble('Part of the recording could not be stored and is silent.')
      }
      const segmentMs = SEGMENT_MS[rateHz]
      const recorder = createRecorder({
        rateHz,
        segmentMs,
        onSegment(index, bytes) {
          const key = segmentKey(callId, index, { rateHz, segmentMs })
          const write: Promise<void> = keep(key, bytes).finally(() => writes.delete(write))
          writes.add(write)
        },
      })
      return {
        caller: (frame, startSample) => recorder.caller(frame, startSample),
        agent: (samples, startSample) => recorder.agent(samples, startSample),
        async close() {
          recorder.close()
          await Promise.all(writes)
          // A disk that hung, or a node that was held up, writes when the call is long over.
          await removeUnkept(callId).catch((error: unknown) => logError('remove a recording that came late', error))
        },
      }
    },
  }
}
