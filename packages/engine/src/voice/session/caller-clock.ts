/** How much a caller's clock may run behind ours before that is noticed: 0.1 %. */
const DRIFT = 0.001

/** When a caller's samples were recorded, by our clock, whatever detours their frames made. */
export interface CallerClock {
  /** A frame that ends at this sample came in. */
  note(endSample: number, nowMs: number): void
  /** When a sample was recorded, in whole milliseconds. */
  timeOf(sample: number): number
  /** The sample that is recorded at a moment; 0 before the first frame. */
  sampleAt(timeMs: number): number
}

/** Takes the frames that came fastest for those without a detour. */
export function createCallerClock(rateHz: number): CallerClock {
  let originMs: number | null = null
  let lastMs = 0
  const toMs = (samples: number): number => (samples * 1_000) / rateHz
  return {
    note(endSample, nowMs) {
      const observedMs = nowMs - toMs(endSample)
      originMs = originMs === null ? observedMs : Math.min(observedMs, originMs + (nowMs - lastMs) * DRIFT)
      lastMs = nowMs
    },
    timeOf: (sample) => Math.round((originMs ?? 0) + toMs(sample)),
    sampleAt: (timeMs) => (originMs === null ? 0 : Math.max(0, Math.round(((timeMs - originMs) * rateHz) / 1_000))),
  }
}
