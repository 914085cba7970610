import type { LegRateHz } from '@parley/engine/audio/frame'
import { createRecorder } from '@parley/engine/audio/recorder'
import type { CallTapes } from '../../kernel/live-calls.ts'
import { segmentKey } from './recording-layout.ts'
import type { SegmentQueue } from './segment-queue.ts'

/** What a crash may take of a recording: this, and the two seconds that the recorder waits for what comes late. */
const SEGMENT_MS: Readonly<Record<LegRateHz, number>> = {
  8000: 4_000,
  // Half as long, so that a call does not need twice the memory.
  16000: 2_000,
}

/** Tapes that are written in segments while the call runs, so that nothing has to be finished after a crash. */
export function createCallTapes(queue: Pick<SegmentQueue, 'add'>): CallTapes {
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
        },
      }
    },
  }
}
