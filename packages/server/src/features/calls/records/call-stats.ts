import type { CallEvent, CallTurnLatency } from '@parley/contract/call-event'
import type { CallLatency, LatencyFigures } from '@parley/contract/call-latency'
import { applyVariableUpdates } from '@parley/engine/dialogue/variables/variable-updates'
import { toStorableText } from '../../../kernel/storage/text.ts'
import type { AgentPathEntry } from '../../../tables/call-tables.ts'

/** A call's usage of one product. */
export type CallUsage = Omit<Extract<CallEvent, { type: 'usage' }>, 'type' | 'position' | 'atMs' | 'at'>

/** Builds a transcript with one line, `Agent: …` or `User: …`, for each message. */
export function buildTranscript(events: readonly CallEvent[]): string {
  const lines = events.flatMap((event) => {
    if (event.type !== 'user-message' && event.type !== 'agent-message') return []
    const content = toStorableText(event.content)
    return content === '' ? [] : [`${event.type === 'user-message' ? 'User' : 'Agent'}: ${content}`]
  })
  return lines.join('\n')
}

/** Returns the collected variables. Later values replace earlier ones. */
export function collectVariables(events: readonly CallEvent[]): Record<string, string> {
  let collected: Readonly<Record<string, string>> = {}
  for (const event of events)
    if (event.type === 'variables') collected = applyVariableUpdates(collected, event.variables)
  return { ...collected }
}

/** Returns the agents that took over the call, in order. */
export function collectHandoffs(events: readonly CallEvent[]): readonly AgentPathEntry[] {
  return events.flatMap((event) => {
    if (event.type !== 'agent-swap') return []
    const { agentId, agentVersion, at, analysis, webhooks } = event
    return [{ agentId, agentVersion, at, handOver: { analysis, webhooks } }]
  })
}

/** Sums the usage by product, model and unit, in order of first use. */
export function sumUsage(events: readonly CallEvent[]): readonly CallUsage[] {
  const totals = new Map<string, CallUsage>()
  for (const event of events) {
    if (event.type !== 'usage') continue
    const { product, model, unit, quantity } = event
    const key = JSON.stringify([product, model, unit])
    totals.set(key, { product, model, unit, quantity: (totals.get(key)?.quantity ?? 0) + quantity })
  }
  return [...totals.values()]
}

const LATENCY_PARTS = {
  e2e: 'totalMs',
  endOfTurn: 'endOfTurnMs',
  recogniser: 'recogniserMs',
  retrieval: 'retrievalMs',
  model: 'modelFirstTokenMs',
  firstClause: 'firstClauseMs',
  synthesis: 'synthesisFirstAudioMs',
  playout: 'playoutMs',
} as const satisfies Record<keyof CallLatency, keyof CallTurnLatency>

/** Computes latency stats over turns with audible responses. A part is null if no turn used it. */
export function computeLatency(events: readonly CallEvent[]): CallLatency {
  const turns = events.flatMap((event) => (event.type === 'turn' && event.latency !== null ? [event.latency] : []))
  const computePartStats = (part: keyof CallTurnLatency) =>
    computeLatencyStats(turns.map((turn) => turn[part]).filter((ms) => ms !== null))
  const entries = Object.entries(LATENCY_PARTS).map(([name, part]) => [name, computePartStats(part)])
  return Object.fromEntries(entries) as CallLatency
}

function computeLatencyStats(values: readonly number[]): LatencyFigures | null {
  const sortedValues = values.toSorted((a, b) => a - b)
  const getPercentile = (fraction: number): number =>
    sortedValues[Math.max(0, Math.ceil(fraction * sortedValues.length) - 1)] ?? 0
  if (sortedValues.length === 0) return null
  return {
    p50: getPercentile(0.5),
    p90: getPercentile(0.9),
    p95: getPercentile(0.95),
    p99: getPercentile(0.99),
    min: getPercentile(0),
    max: getPercentile(1),
    num: sortedValues.length,
  }
}
