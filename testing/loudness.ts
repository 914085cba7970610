import type { Recording } from './speech-server/wav-audio.ts'

/** Returns the loudness (root mean square) of each step, starting at a sample. */
export function measureLoudness({ samples, rateHz }: Recording, stepMs: number, fromSample = 0): Float64Array {
  const step = Math.max(1, Math.round((rateHz * stepMs) / 1_000))
  const loudness = new Float64Array(Math.max(0, Math.floor((samples.length - fromSample) / step)))
  for (let index = 0; index < loudness.length; index += 1) {
    let sum = 0
    const start = fromSample + index * step
    for (let offset = 0; offset < step; offset += 1) sum += (samples[start + offset] ?? 0) ** 2
    loudness[index] = Math.sqrt(sum / step)
  }
  return loudness
}

/** Range over which two series are compared, in positions of the first series. */
export interface CorrelationRange {
  readonly from: number
  readonly to: number
  /** Position in the second series minus position in the first. */
  readonly lag: number
}

/** Returns Pearson's correlation of two series over a range, or 0 for a constant series. Missing values count as silence. */
export function correlate(left: Float64Array, right: Float64Array, { from, to, lag }: CorrelationRange): number {
  const count = to - from
  let [sumLeft, sumRight, squaresLeft, squaresRight, products] = [0, 0, 0, 0, 0]
  for (let index = from; index < to; index += 1) {
    const leftValue = left[index] ?? 0
    const rightValue = right[index + lag] ?? 0
    sumLeft += leftValue
    sumRight += rightValue
    squaresLeft += leftValue * leftValue
    squaresRight += rightValue * rightValue
    products += leftValue * rightValue
  }
  const deviation = Math.sqrt((squaresLeft - sumLeft ** 2 / count) * (squaresRight - sumRight ** 2 / count))
  return deviation > 0 ? (products - (sumLeft * sumRight) / count) / deviation : 0
}
