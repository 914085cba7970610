import type { LegRateHz } from '@parley/engine/audio/frame'
import { Recorder } from '@parley/engine/audio/recorder'
import type { CallRecorders } from '../calls/public.ts'
import { formatSegmentKey } from './recording-layout.ts'
import type { SegmentQueue } from './segment-queue.ts'

/** Segment duration by sample rate. A crash loses at most one segment and two seconds of audio that was not yet in a segment. */
const SEGMENT_MS: Readonly<Record<LegRateHz, number>> = {
  8000: 4_000,
  // Half as long, so that a segment needs the same memory.
  16000: 2_000,
}

interface CallRecordersDependencies {
  readonly queue: Pick<SegmentQueue, 'add'>
  /** Called when this node stops writing. Deletes audio that was stored after the recording was removed. */
  readonly removeLateAudio: (callId: string) => Promise<void>
  readonly logError: (name: string, error: unknown) => void
}

/** Creates recorders that store segments during the call, so that a crash leaves a usable recording. */
export function createCallRecorders({ queue, removeLateAudio, logError }: CallRecordersDependencies): CallRecorders {
  return {
    open({ callId, rateHz, onProblem }) {
      let hasProblem = false
      const pendingWrites = new Set<Promise<void>>()
      async function storeSegment(key: string, bytes: Uint8Array): Promise<void> {
        if ((await queue.add(key, bytes)) || hasProblem) return
        hasProblem = true
        onProblem('Part of the recording could not be stored and is silent.')
      }
      const segmentMs = SEGMENT_MS[rateHz]
      const recorder = new Recorder({
        rateHz,
        segmentMs,
        onSegment(index, bytes) {
          const key = formatSegmentKey(callId, index, { rateHz, segmentMs })
          const write: Promise<void> = storeSegment(key, bytes).finally(() => pendingWrites.delete(write))
          pendingWrites.add(write)
        },
      })
      return {
        recordCaller: (frame, startSample) => recorder.recordCaller(frame, startSample),
        recordAgent: (samples, startSample) => recorder.recordAgent(samples, startSample),
        async close() {
          recorder.close()
          await Promise.all(pendingWrites)
          // A slow disk or a suspended node may write long after the end of the call.
          await removeLateAudio(callId).catch((error: unknown) => logError('remove late audio of a recording', error))
        },
      }
    },
  }
}
