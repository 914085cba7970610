import type { CallLatency } from '@parley/contract/call-latency'
import type { Usage } from '@parley/contract/usage'

/** What calls and chats of one key add up to. */
export interface UsageSums {
  calls: number
  chats: number
  durationMs: number
  /** In millionths of a US dollar; parts without a known price are not in it. */
  microDollars: number
  analyzed: number
  successful: number
  errors: number
  /** Of each turn that was answered: milliseconds to its first text or sound. */
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

/** Turns sums into the figures of an answer. */
export function toUsage(key: string, sums: UsageSums): Usage {
  // Of very many answers: numbers that are not boxed are sorted many times as fast, while everybody waits.
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

/** The least of the sorted values that `share` of them do not exceed (nearest rank); null for none. */
function percentile(sorted: Float64Array, quantile: number): number | null {
  return sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1] ?? null
}

/** What a turn is charged with, in millionths of a US dollar: its models and the markup. `usage` is what its row keeps. */
export function turnMicroDollars(usage: string, markupPercent: number): number {
  if (usage === '[]') return 0
  const parts = JSON.parse(usage) as readonly { readonly cost: number | null }[]
  const sum = parts.reduce((total, { cost }) => total + (cost ?? 0) * 1e6, 0)
  return sum * (1 + markupPercent / 100)
}

/**
 * About how long each answer of a call took, from the figures that are kept of it: between those, answers lie on straight
 * lines. `latency` is what its row keeps.
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
    // The part of the way is at most 1 by this order of steps: no answer is rounded past the next figure.
    return fromMs + (toMs - fromMs) * ((quantile - lowerQuantile) / (upperQuantile - lowerQuantile))
  })
}
