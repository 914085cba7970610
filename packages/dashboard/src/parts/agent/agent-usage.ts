import type { Usage } from '@parley/contract/usage'
import { useRead } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { startOfDay, useToday } from '../../lib/days.ts'

/** Usage of agents in a range, by agent ID. Agents without usage are absent. */
export interface AgentUsage {
  /** Null while it is not known. */
  readonly byAgent: ReadonlyMap<string, Usage> | null
  readonly problem: Problem | null
  refetch(): Promise<unknown>
}

/** Days of the stats in lists, including today. */
const LIST_DAYS = 7
const POLL_MS = 60_000

export function useAgentsOfWeek(): AgentUsage {
  const startDate = startOfDay(useToday(), LIST_DAYS - 1).toISOString()
  return useAgentUsage({ groupBy: 'agent', startDate })
}

export function useAgentsOfMonth(): AgentUsage {
  return useAgentUsage({ groupBy: 'agent' })
}

function useAgentUsage(query: { readonly groupBy: 'agent'; readonly startDate?: string }): AgentUsage {
  const { data, error, refetch } = useRead('getUsage', { query }, { refetchMs: POLL_MS, keepsPrevious: true })
  return { byAgent: data === undefined ? null : byKey(data), problem: data === undefined ? error : null, refetch }
}

const byKey = (entries: readonly Usage[]): ReadonlyMap<string, Usage> =>
  new Map(entries.map((entry) => [entry.key, entry]))
