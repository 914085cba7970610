import type { Usage } from '@parley/contract/usage'
import { Link } from '@tanstack/react-router'
import { Page, Panel } from '../../components/page.tsx'
import { QueryView } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { now } from '../../lib/clock.ts'
import { listUtcDays, useToday } from '../../lib/days.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { Stat, Stats, StatsSkeleton } from '../../parts/stats/stats.tsx'
import { SetupList } from './setup-list.tsx'

const LIVE_POLL_MS = 5_000
const STATS_POLL_MS = 30_000
const TREND_DAYS = 14
const MAX_FAILING_AGENTS = 5

export function HomeScreen() {
  const t = useText()
  const todayUsage = useRead(
    'getUsage',
    { query: { startDate: new Date(useToday()).toISOString(), groupBy: 'workspace' } },
    { refetchMs: STATS_POLL_MS, keepPreviousData: true },
  )
  const dailyUsage = useRead(
    'getUsage',
    { query: { groupBy: 'day' } },
    { refetchMs: STATS_POLL_MS, keepPreviousData: true },
  )
  // The demo includes an empty chat, so only chats with replies count.
  const hasConversation = dailyUsage.data?.some(({ calls, latencyP50Ms }) => calls > 0 || latencyP50Ms !== null) ?? null
  return (
    <Page title={t('Home')}>
      <QueryView query={todayUsage} skeleton={<StatsSkeleton count={6} />}>
        {(entries) => <TodayStats usage={entries[0]} dailyUsage={dailyUsage.data ?? []} />}
      </QueryView>
      <SetupList hasConversation={hasConversation} isLoading={dailyUsage.isPending} />
      <FailingAgents />
    </Page>
  )
}

function TodayStats({
  usage,
  dailyUsage,
}: {
  readonly usage: Usage | undefined
  readonly dailyUsage: readonly Usage[]
}) {
  const t = useText()
  const format = useFormatter()
  const workspaceId = useWorkspaceId()
  const liveCalls = useRead(
    'listCalls',
    { query: { status: 'ongoing', limit: 1 } },
    { refetchMs: LIVE_POLL_MS, keepPreviousData: true },
  )
  const buildTrend = (getValue: (usage: Usage) => number): number[] => {
    const valuesByDay = new Map(dailyUsage.map((day) => [day.key, getValue(day)]))
    return listUtcDays(now(), TREND_DAYS).map((day) => valuesByDay.get(day) ?? 0)
  }
  const formatOptional = (value: number | null | undefined, formatValue: (value: number) => string): string | null =>
    value === null || value === undefined ? null : formatValue(value)
  return (
    <Stats label={t('Today')}>
      <Link to="/$workspaceId/calls" params={{ workspaceId }} className="block h-full rounded-lg">
        <Stat
          label={t('Live calls')}
          value={formatOptional(liveCalls.data?.pagination.total, format.number)}
          note={t('right now')}
        />
      </Link>
      <Link to="/$workspaceId/calls" params={{ workspaceId }} className="block h-full rounded-lg">
        <Stat
          label={t('Calls today')}
          value={format.number(usage?.calls ?? 0)}
          trend={buildTrend(({ calls }) => calls)}
          note={t('{minutes} minutes', { minutes: format.number(usage?.minutes ?? 0, 1) })}
        />
      </Link>
      <Link to="/$workspaceId/chats" params={{ workspaceId }} className="block h-full rounded-lg">
        <Stat
          label={t('Chats today')}
          value={format.number(usage?.chats ?? 0)}
          trend={buildTrend(({ chats }) => chats)}
        />
      </Link>
      <Stat
        label={t('Success rate')}
        value={formatOptional(usage?.successRate, format.percent)}
        note={t('of analyzed calls')}
      />
      <Stat
        label={t('Response time (p50)')}
        value={formatOptional(usage?.latencyP50Ms, format.duration)}
        note={formatOptional(usage?.latencyP95Ms, (time) => t('p95 {time}', { time: format.duration(time) }))}
      />
      <Link to="/$workspaceId/usage" params={{ workspaceId }} className="block h-full rounded-lg">
        <Stat
          label={t('Cost today')}
          value={format.dollars(usage?.cost ?? 0)}
          trend={buildTrend(({ cost }) => cost)}
          note={t('{count, plural, one {# error} other {# errors}}', { count: usage?.errors ?? 0 })}
        />
      </Link>
    </Stats>
  )
}

function FailingAgents() {
  const t = useText()
  const format = useFormatter()
  const workspaceId = useWorkspaceId()
  const agents = useChoices('agents')
  const chatAgents = useChoices('chatAgents')
  const { data = [] } = useRead('getUsage', { query: { groupBy: 'agent' } }, { keepPreviousData: true })
  const failingAgents = data
    .filter(({ errors }) => errors > 0)
    .sort((a, b) => b.errors - a.errors)
    .slice(0, MAX_FAILING_AGENTS)
  if (failingAgents.length === 0) return null
  const getAgentName = (id: string): string => {
    const name = agents.getName(id)
    return name === id ? chatAgents.getName(id) : name
  }
  return (
    <Panel title={t('Agents with errors')} description={t('Failed calls and chat turns of the last 30 days')}>
      <ul className="flex flex-col divide-y divide-line">
        {failingAgents.map(({ key, errors, calls, chats }) => (
          <li key={key} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <Link
              to={
                key.startsWith('chat_agent_') ? '/$workspaceId/chat-agents/$agentId' : '/$workspaceId/agents/$agentId'
              }
              params={{ workspaceId, agentId: key }}
              className="min-w-0 font-medium hover:underline"
              dir="auto"
            >
              {getAgentName(key)}
            </Link>
            <span className="text-muted tabular-nums">
              {t('{errors} of {all}', { errors: format.number(errors), all: format.number(calls + chats) })}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
