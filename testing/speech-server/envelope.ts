import { correlate, measureLoudness } from '../loudness.ts'
import type { Recording } from './wav-audio.ts'

const STEP_MS = 10
/** Number of start positions tried within a step. At an offset of half a step, the self-correlation is only 0.96. */
const PHASE_COUNT = 4

/** Returns the loudness in steps of 10 ms, starting at an offset. */
export function measureEnvelope(recording: Recording, fromMs = 0): Float64Array {
  return measureLoudness(recording, STEP_MS, Math.round((recording.rateHz * fromMs) / 1000))
}

/** Returns the similarity of two recordings at any rate and offset: the best correlation of their loudness. */
export function correlateEnvelopes(left: Recording, right: Recording, maxLagMs = 3_000): number {
  const envelope = measureEnvelope(left)
  const phases = Array.from({ length: PHASE_COUNT }, (_, phase) =>
    measureEnvelope(right, (phase * STEP_MS) / PHASE_COUNT),
  )
  return Math.max(...phases.map((phase) => findBestMatch(envelope, phase, maxLagMs).correlation))
}

/** Returns the best correlation, and the delay of the second recording at that position. */
export function findBestMatch(
  left: Float64Array,
  right: Float64Array,
  maxLagMs = 3_000,
): { readonly correlation: number; readonly lagMs: number } {
  const maxLag = Math.round(maxLagMs / STEP_MS)
  let best = { correlation: -1, lagMs: 0 }
  for (let lag = -maxLag; lag <= maxLag; lag += 1) {
    // The range covers both recordings completely, regardless of their positions.
    const [from, to] = [Math.min(0, -lag), Math.max(left.length, right.length - lag)]
    const correlation = correlate(left, right, { from, to, lag })
    if (correlation > best.correlation) best = { correlation, lagMs: lag * STEP_MS }
  }
  return best
}
