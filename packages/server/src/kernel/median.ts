/** Returns the median by the nearest-rank method, as in the usage report. Returns null if there are no values. */
export function computeMedian(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? null
}
