import type { CallLatency } from '@parley/contract/call-latency'
import type { Usage } from '@parley/contract/usage'

/** Sums of the calls and chats of one key. */
export interface UsageSums {
  calls: number
  chats: number
  durationMs: number
  /** In millionths of a US dollar, without unpriced parts. */
  microDollars: number
  analyzed: number
  successful: number
  errors: number
  /** Milliseconds to the first text or audio of each answered turn. */
  readonly answerLatenciesMs: number[]
}

export const emptyUsage = (): UsageSums => ({
  calls: 0,
  chats: 0,
  durationMs: 0,
  microDollars: 0,
  analyzed: 0,
  successful: 0,
  errors: 0,
  answerLatenciesMs: [],
})

/** Converts sums to the metrics of a response. */
export function toUsage(key: string, sums: UsageSums): Usage {
  // A typed array sorts unboxed numbers much faster, which matters because sorting blocks the thread.
  const sorted = Float64Array.from(sums.answerLatenciesMs).sort()
  return {
    key,
    calls: sums.calls,
    chats: sums.chats,
    minutes: Math.round(sums.durationMs / 600) / 100,
    cost: Math.round(sums.microDollars) / 1e6,
    successRate: sums.analyzed === 0 ? null : sums.successful / sums.analyzed,
    latencyP50Ms: percentile(sorted, 0.5),
    latencyP95Ms: percentile(sorted, 0.95),
    errors: sums.errors,
  }
}

/** The smallest value that covers this quantile of the sorted values (nearest rank); null for none. */
function percentile(sorted: Float64Array, quantile: number): number | null {
  return sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1] ?? null
}

/** Cost of a turn in millionths of a US dollar, with markup. `usage` is the row's column. */
export function turnMicroDollars(usage: string, markupPercent: number): number {
  if (usage === '[]') return 0
  const parts = JSON.parse(usage) as readonly { readonly cost: number | null }[]
  const sum = parts.reduce((total, { cost }) => total + (cost ?? 0) * 1e6, 0)
  return sum * (1 + markupPercent / 100)
}

/**
 * Approximate latencies of a call's answers, interpolated linearly between its stored percentiles. `latency` is the
 * row's column.
 */
export function answerLatenciesOf(latency: string): readonly number[] {
  const { e2e } = JSON.parse(latency) as Partial<CallLatency>
  if (e2e === null || e2e === undefined) return []
  const { min, p50, p90, p95, p99, max, num } = e2e
  const known = [
    [0, min],
    [0.5, p50],
    [0.9, p90],
    [0.95, p95],
    [0.99, p99],
    [1, max],
  ] as const
  return Array.from({ length: num }, (_, index) => {
    const quantile = (index + 1) / num
    const upper = known.findIndex(([at]) => at >= quantile)
    const [upperQuantile, toMs] = known[upper] ?? [1, max]
    const [lowerQuantile, fromMs] = known[upper - 1] ?? [0, min]
    // This order of operations keeps the fraction at most 1, so that no value exceeds the next percentile.
    return fromMs + (toMs - fromMs) * ((quantile - lowerQuantile) / (upperQuantile - lowerQuantile))
  })
}
