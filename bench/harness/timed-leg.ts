import type { Frame } from '../../packages/engine/src/audio/frame.ts'
import type { MediaLeg } from '../../packages/engine/src/voice/ports.ts'

/** Amplitude above which a sample is audible. */
const SILENCE_THRESHOLD = 100

/** Whether a frame contains audible samples. */
export function isAudible(frame: Frame): boolean {
  for (const sample of frame) if (sample > SILENCE_THRESHOLD || sample < -SILENCE_THRESHOLD) return true
  return false
}

export interface FrameTimes {
  /** Called when the call receives a frame from the caller. */
  receivedFromCaller(frame: Frame, startSample: number): void
  /** Called when a frame of the agent is sent. */
  sentToCaller(frame: Frame): void
}

/** Wraps a media leg and reports each frame as it passes. */
export function createTimedLeg(leg: MediaLeg, times: FrameTimes): MediaLeg {
  const { kind, rateHz, leadMs, framesPerMessage, capabilities } = leg
  return {
    ...{ kind, rateHz, leadMs, framesPerMessage, capabilities },
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
