import type { Usage } from '@parley/contract/usage'
import { useRead } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { getStartOfDay, useToday } from '../../lib/days.ts'

/** Usage by agent ID over a range of days. Agents without usage are absent. */
export interface AgentUsage {
  /** Null while loading. */
  readonly usageByAgent: ReadonlyMap<string, Usage> | null
  readonly problem: Problem | null
  refetch(): Promise<unknown>
}

/** Number of days that usage stats in lists cover, including today. */
const LIST_DAYS = 7
const POLL_INTERVAL_MS = 60_000

export function useWeeklyAgentUsage(): AgentUsage {
  const startDate = getStartOfDay(useToday(), LIST_DAYS - 1).toISOString()
  return useAgentUsage({ groupBy: 'agent', startDate })
}

export function useMonthlyAgentUsage(): AgentUsage {
  return useAgentUsage({ groupBy: 'agent' })
}

function useAgentUsage(query: { readonly groupBy: 'agent'; readonly startDate?: string }): AgentUsage {
  const { data, error, refetch } = useRead(
    'getUsage',
    { query },
    { refetchMs: POLL_INTERVAL_MS, keepPreviousData: true },
  )
  return {
    usageByAgent: data === undefined ? null : indexByKey(data),
    problem: data === undefined ? error : null,
    refetch,
  }
}

const indexByKey = (entries: readonly Usage[]): ReadonlyMap<string, Usage> =>
  new Map(entries.map((entry) => [entry.key, entry]))
