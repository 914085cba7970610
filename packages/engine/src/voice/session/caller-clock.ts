/** Window that contains at least some frames without extra delay. */
const WINDOW_MS = 2_000
/** A longer gap is a stall, not a delay: this is how long a lost connection is kept. */
const MAX_NETWORK_DELAY_MS = 15_000
/** Longer gaps do not count toward the window. */
const MAX_STEP_MS = 100

/** Maps the caller's samples to recording times on our clock, whatever delays the frames had. */
export interface CallerClock {
  /** A frame that ends at this sample arrived. */
  note(endSample: number, nowMs: number): void
  /** When a sample was recorded, in whole milliseconds. */
  timeOf(sample: number): number
  /** The sample recorded at a time; 0 before the first frame. */
  sampleAt(timeMs: number): number
}

/** Assumes that the fastest recent frames had no extra delay. Recovers from a stalled device after four seconds of frames. */
export function createCallerClock(rateHz: number): CallerClock {
  let originMs: number | null = null
  let lastMs = Number.NEGATIVE_INFINITY
  // Fastest frame of this window and of the previous one.
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
