import { correlate, loudnessOf } from '../loudness.ts'
import type { Recording } from './wav-audio.ts'

const STEP_MS = 10
/** Beginnings that are tried within a step: half a step off, the same sound is like itself by .96 only. */
const PHASE_COUNT = 4

/** Loudness in steps of 10 ms, from this offset on. */
export function envelopeOf(recording: Recording, fromMs = 0): Float64Array {
  return loudnessOf(recording, STEP_MS, Math.round((recording.rateHz * fromMs) / 1000))
}

/** Similarity of two recordings at any rate and offset: the best correlation of their loudness. */
export function envelopeCorrelation(left: Recording, right: Recording, maxLagMs = 3_000): number {
  const envelope = envelopeOf(left)
  const phases = Array.from({ length: PHASE_COUNT }, (_, phase) => envelopeOf(right, (phase * STEP_MS) / PHASE_COUNT))
  return Math.max(...phases.map((phase) => bestMatch(envelope, phase, maxLagMs).correlation))
}

/** The best correlation, and the delay of the second recording there. */
export function bestMatch(
  left: Float64Array,
  right: Float64Array,
  maxLagMs = 3_000,
): { readonly correlation: number; readonly lagMs: number } {
  const maxLag = Math.round(maxLagMs / STEP_MS)
  let best = { correlation: -1, lagMs: 0 }
  for (let lag = -maxLag; lag <= maxLag; lag += 1) {
    // All of both, wherever they stand.
    const [from, to] = [Math.min(0, -lag), Math.max(left.length, right.length - lag)]
    const correlation = correlate(left, right, { from, to, lag })
    if (correlation > best.correlation) best = { correlation, lagMs: lag * STEP_MS }
  }
  return best
}
