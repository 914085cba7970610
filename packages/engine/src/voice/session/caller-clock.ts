/** Frames that were held up on their way come together: so much time of frames that come has some among them that were not. */
const WINDOW_MS = 2_000
/** Without frames for longer, nothing was held up: that is how long a lost line is waited for. */
const MAX_NETWORK_DELAY_MS = 15_000
/** Time without frames counts no further: it tells nothing of how fast they come. */
const MAX_STEP_MS = 100

/** When a caller's samples were recorded, by our clock, whatever detours their frames made. */
export interface CallerClock {
  /** A frame that ends at this sample came in. */
  note(endSample: number, nowMs: number): void
  /** When a sample was recorded, in whole milliseconds. */
  timeOf(sample: number): number
  /** The sample that is recorded at a moment; 0 before the first frame. */
  sampleAt(timeMs: number): number
}

/**
 * Takes the frames that came fastest lately for those without a detour. A device that stood still is told the right time
 * again after four seconds of its frames.
 */
export function createCallerClock(rateHz: number): CallerClock {
  let originMs: number | null = null
  let lastMs = Number.NEGATIVE_INFINITY
  // The fastest of this window and of the one before it.
  let fastestMs = Number.POSITIVE_INFINITY
  let previousFastestMs = Number.POSITIVE_INFINITY
  let windowMs = 0
  const toMs = (samples: number): number => (samples * 1_000) / rateHz

  function openWindow(previousMs: number): void {
    previousFastestMs = previousMs
    fastestMs = Number.POSITIVE_INFINITY
    windowMs = 0
  }

  return {
    note(endSample, nowMs) {
      const stepMs = nowMs - lastMs
      lastMs = nowMs
      windowMs += Math.min(stepMs, MAX_STEP_MS)
      if (stepMs > MAX_NETWORK_DELAY_MS) openWindow(Number.POSITIVE_INFINITY)
      else if (windowMs > WINDOW_MS) openWindow(fastestMs)
      fastestMs = Math.min(fastestMs, nowMs - toMs(endSample))
      originMs = Math.min(fastestMs, previousFastestMs)
    },
    timeOf: (sample) => Math.round((originMs ?? 0) + toMs(sample)),
    sampleAt: (timeMs) => (originMs === null ? 0 : Math.max(0, Math.round(((timeMs - originMs) * rateHz) / 1_000))),
  }
}
