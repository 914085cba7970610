import type { LegRateHz } from '@parley/engine/audio/frame'
import { createRecorder } from '@parley/engine/audio/recorder'
import type { CallRecorders } from '../calls/public.ts'
import { segmentKey } from './recording-layout.ts'
import type { SegmentQueue } from './segment-queue.ts'

/** What a crash may take of a recording: this, and the two seconds that the recorder waits for what comes late. */
const SEGMENT_MS: Readonly<Record<LegRateHz, number>> = {
  8000: 4_000,
  // Half as long, so that a call does not need twice the memory.
  16000: 2_000,
}

export interface CallRecordersDependencies {
  readonly queue: Pick<SegmentQueue, 'add'>
  /** This node writes no more of the call: what was written although its recording has to go is removed. */
  readonly removeUnretained: (callId: string) => Promise<void>
  readonly logError: (name: string, error: unknown) => void
}

/** Tapes that are written in segments while the call runs, so that nothing has to be finished after a crash. */
export function createCallRecorders({ queue, removeUnretained, logError }: CallRecordersDependencies): CallRecorders {
  return {
    open({ callId, rateHz, onProblem }) {
      let hasProblem = false
      const writes = new Set<Promise<void>>()
      async function store(key: string, bytes: Uint8Array): Promise<void> {
        if ((await queue.add(key, bytes)) || hasProblem) return
        hasProblem = true
        onProblem('Part of the recording could not be stored and is silent.')
      }
      const segmentMs = SEGMENT_MS[rateHz]
      const recorder = createRecorder({
        rateHz,
        segmentMs,
        onSegment(index, bytes) {
          const key = segmentKey(callId, index, { rateHz, segmentMs })
          const write: Promise<void> = store(key, bytes).finally(() => writes.delete(write))
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
          await removeUnretained(callId).catch((error: unknown) => logError('remove a recording that came late', error))
        },
      }
    },
  }
}
