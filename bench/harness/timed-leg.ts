import type { Frame } from '../../packages/engine/src/audio/frame.ts'
import type { MediaLeg } from '../../packages/engine/src/voice/ports.ts'

/** Samples beyond this are sound. */
const SILENCE_THRESHOLD = 100

/** Whether anything is to be heard in a frame. */
export function isAudible(frame: Frame): boolean {
  for (const sample of frame) if (sample > SILENCE_THRESHOLD || sample < -SILENCE_THRESHOLD) return true
  return false
}

export interface FrameTimes {
  /** A frame of the caller reaches the call. */
  receivedFromCaller(frame: Frame, startSample: number): void
  /** A frame of the agent leaves. */
  sentToCaller(frame: Frame): void
}

/** A leg whose frames are timed as they pass. */
export function createTimedLeg(leg: MediaLeg, times: FrameTimes): MediaLeg {
  const { kind, rateHz, leadMs, framesTogether, capabilities } = leg
  return {
    ...{ kind, rateHz, leadMs, framesTogether, capabilities },
    listen: (events) =>
      leg.listen({
        ...events,
        frame(frame, startSample) {
          times.receivedFromCaller(frame, startSample)
          events.frame(frame, startSample)
        },
      }),
    send(frame, startSample) {
      times.sentToCaller(frame)
      leg.send(frame, startSample)
    },
    clear: () => leg.clear(),
    close: (drainMs) => leg.close(drainMs),
  }
}
