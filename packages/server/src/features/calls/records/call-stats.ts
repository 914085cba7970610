import type { CallEvent, CallTurnLatency } from '@parley/contract/call-event'
import type { CallLatency, LatencyFigures } from '@parley/contract/call-latency'
import { applyVariableUpdates } from '@parley/engine/dialogue/variables/variable-updates'
import { toStorableText } from '../../../kernel/storage/text.ts'
import type { AgentOnPath } from '../../../tables/call-tables.ts'

/** How much of something a call used. */
export type CallUsage = Omit<Extract<CallEvent, { type: 'usage' }>, 'type' | 'position' | 'atMs' | 'at'>

/** Lines `Agent: …` and `User: …` of everything said and heard. */
export function transcriptOf(events: readonly CallEvent[]): string {
  const lines = events.flatMap((event) => {
    if (event.type !== 'user-message' && event.type !== 'agent-message') return []
    const content = toStorableText(event.content)
    return content === '' ? [] : [`${event.type === 'user-message' ? 'User' : 'Agent'}: ${content}`]
  })
  return lines.join('\n')
}

/** Collected variables; later values win. */
export function collectedIn(events: readonly CallEvent[]): Record<string, string> {
  let collected: Readonly<Record<string, string>> = {}
  for (const event of events)
    if (event.type === 'variables') collected = applyVariableUpdates(collected, event.variables)
  return { ...collected }
}

/** Agents that took over the call, in order. */
export function handOversIn(events: readonly CallEvent[]): readonly AgentOnPath[] {
  return events.flatMap((event) => {
    if (event.type !== 'agent-swap') return []
    const { agentId, agentVersion, at, analysis, webhooks } = event
    return [{ agentId, agentVersion, at, handOver: { analysis, webhooks } }]
  })
}

/** Sums by product, model and unit, in order of first use. */
export function usageIn(events: readonly CallEvent[]): readonly CallUsage[] {
  const sums = new Map<string, CallUsage>()
  for (const event of events) {
    if (event.type !== 'usage') continue
    const { product, model, unit, quantity } = event
    const key = JSON.stringify([product, model, unit])
    sums.set(key, { product, model, unit, quantity: (sums.get(key)?.quantity ?? 0) + quantity })
  }
  return [...sums.values()]
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

/** Stats over turns with audible responses; null for parts that no turn needed. */
export function latencyIn(events: readonly CallEvent[]): CallLatency {
  const turns = events.flatMap((event) => (event.type === 'turn' && event.latency !== null ? [event.latency] : []))
  const statsOf = (part: keyof CallTurnLatency) =>
    latencyStats(turns.map((turn) => turn[part]).filter((ms) => ms !== null))
  const entries = Object.entries(LATENCY_PARTS).map(([name, part]) => [name, statsOf(part)])
  return Object.fromEntries(entries) as CallLatency
}

function latencyStats(values: readonly number[]): LatencyFigures | null {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  if (sorted.length === 0) return null
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), min: at(0), max: at(1), num: sorted.length }
}
