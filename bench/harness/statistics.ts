/**
 * Returns the value below which `share` (0 to 1) of the values lie, by the nearest-rank method, or NaN if there are no values.
 */
export function calculatePercentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  const rank = Math.max(1, Math.ceil(share * sorted.length))
  return sorted[rank - 1] ?? Number.NaN
}

export function calculateMedian(values: readonly number[]): number {
  return calculatePercentile(values, 0.5)
}

/** Rounds to three significant digits, since a shared machine cannot reproduce more. */
export function roundStat(value: number): number {
  return Number(value.toPrecision(3))
}
