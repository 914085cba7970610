/** The value below which `share` (0 to 1) of the values lie, by the nearest-rank method; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  const rank = Math.max(1, Math.ceil(share * sorted.length))
  return sorted[rank - 1] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** Three significant figures are more than a shared machine can repeat. */
export function round(value: number): number {
  return Number(value.toPrecision(3))
}
