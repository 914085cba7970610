import type { Frame } from '@parley/engine/audio/frame'
import type { MediaLeg } from '@parley/engine/voice/ports'

/** Observes a leg. Methods return at once, never throw and keep no frame. */
export interface MediaTap {
  /** A frame of the caller; sets the pace. */
  callerFrame(frame: Frame): void
  /** A frame sent to the caller. */
  sentFrame(frame: Frame, startSample: number): void
  /** Playback position; the rest may still be dropped. */
  played(playedSamples: number): void
  /** Unplayed audio was dropped. */
  cleared(): void
  /** The leg has ended. */
  closed(): void
}

/** Wraps a leg with an observer. */
export function tapLeg(leg: MediaLeg, tap: MediaTap): MediaLeg {
  const { kind, rateHz, leadMs, framesTogether, capabilities } = leg
  return {
    ...{ kind, rateHz, leadMs, framesTogether, capabilities },
    listen: (events) =>
      leg.listen({
        ...events,
        frame(frame, startSample) {
          events.frame(frame, startSample)
          tap.callerFrame(frame)
        },
        played(playedSamples, capturedSamples) {
          tap.played(playedSamples)
          events.played(playedSamples, capturedSamples)
        },
        closed() {
          events.closed()
          tap.closed()
        },
      }),
    send(frame, startSample) {
      tap.sentFrame(frame, startSample)
      leg.send(frame, startSample)
      // Without playback reports, sent audio counts as played.
      if (!capabilities.reportsPlayed) tap.played(startSample + frame.length)
    },
    clear() {
      tap.cleared()
      leg.clear()
    },
    ...(leg.sendDtmf !== undefined && { sendDtmf: (digits: string) => leg.sendDtmf?.(digits) }),
    close: (drainMs) => leg.close(drainMs),
  }
}
