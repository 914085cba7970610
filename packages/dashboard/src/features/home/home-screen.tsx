import type { Usage } from '@parley/contract/usage'
import { Link } from '@tanstack/react-router'
import { Page, Panel } from '../../components/page.tsx'
import { QueryView } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { now } from '../../lib/clock.ts'
import { listUtcDays, useToday } from '../../lib/days.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { Stat, Stats, StatsSkeleton } from '../../parts/stats/stats.tsx'
import { SetupList } from './setup-list.tsx'

const LIVE_POLL_MS = 5_000
const STATS_POLL_MS = 30_000
const TREND_DAYS = 14
const MAX_FAILING = 5

export function HomeScreen() {
  const t = useText()
  const today = useRead(
    'getUsage',
    { query: { startDate: new Date(useToday()).toISOString(), groupBy: 'workspace' } },
    { refetchMs: STATS_POLL_MS, keepsPrevious: true },
  )
  const days = useRead('getUsage', { query: { groupBy: 'day' } }, { refetchMs: STATS_POLL_MS, keepsPrevious: true })
  // The demo includes an empty chat, so only chats with replies count.
  const hasTalked = days.data?.some(({ calls, latencyP50Ms }) => calls > 0 || latencyP50Ms !== null) ?? null
  return (
    <Page title={t('Home')}>
      <QueryView query={today} skeleton={<StatsSkeleton count={6} />}>
        {(entries) => <TodayFigures today={entries[0]} days={days.data ?? []} />}
      </QueryView>
      <SetupList hasTalked={hasTalked} isWaiting={days.isPending} />
      <FailingAgents />
    </Page>
  )
}

function TodayFigures({ today, days }: { readonly today: Usage | undefined; readonly days: readonly Usage[] }) {
  const t = useText()
  const formats = useFormats()
  const workspaceId = useWorkspaceId()
  const live = useRead(
    'listCalls',
    { query: { status: 'ongoing', limit: 1 } },
    { refetchMs: LIVE_POLL_MS, keepsPrevious: true },
  )
  const buildTrend = (pick: (day: Usage) => number): number[] => {
    const byDay = new Map(days.map((day) => [day.key, pick(day)]))
    return listUtcDays(now(), TREND_DAYS).map((day) => byDay.get(day) ?? 0)
  }
  const orNull = (value: number | null | undefined, format: (value: number) => string): string | null =>
    value === null || value === undefined ? null : format(value)
  return (
    <Stats label={t('Today')}>
      <Link to="/$workspaceId/calls" params={{ workspaceId }} className="block h-full rounded-lg">
        <Stat
          label={t('Live calls')}
          value={orNull(live.data?.pagination.total, formats.number)}
          note={t('right now')}
        />
      </Link>
      <Link to="/$workspaceId/calls" params={{ workspaceId }} className="block h-full rounded-lg">
        <Stat
          label={t('Calls today')}
          value={formats.number(today?.calls ?? 0)}
          trend={buildTrend(({ calls }) => calls)}
          note={t('{minutes} minutes', { minutes: formats.number(today?.minutes ?? 0, 1) })}
        />
      </Link>
      <Link to="/$workspaceId/chats" params={{ workspaceId }} className="block h-full rounded-lg">
        <Stat
          label={t('Chats today')}
          value={formats.number(today?.chats ?? 0)}
          trend={buildTrend(({ chats }) => chats)}
        />
      </Link>
      <Stat
        label={t('Success rate')}
        value={orNull(today?.successRate, formats.percent)}
        note={t('of analyzed calls')}
      />
      <Stat
        label={t('Response time (p50)')}
        value={orNull(today?.latencyP50Ms, formats.duration)}
        note={orNull(today?.latencyP95Ms, (time) => t('p95 {time}', { time: formats.duration(time) }))}
      />
      <Link to="/$workspaceId/usage" params={{ workspaceId }} className="block h-full rounded-lg">
        <Stat
          label={t('Cost today')}
          value={formats.dollars(today?.cost ?? 0)}
          trend={buildTrend(({ cost }) => cost)}
          note={t('{count, plural, one {# error} other {# errors}}', { count: today?.errors ?? 0 })}
        />
      </Link>
    </Stats>
  )
}

function FailingAgents() {
  const t = useText()
  const formats = useFormats()
  const workspaceId = useWorkspaceId()
  const agents = useChoices('agents')
  const chatAgents = useChoices('chatAgents')
  const { data = [] } = useRead('getUsage', { query: { groupBy: 'agent' } }, { keepsPrevious: true })
  const failing = data
    .filter(({ errors }) => errors > 0)
    .sort((one, other) => other.errors - one.errors)
    .slice(0, MAX_FAILING)
  if (failing.length === 0) return null
  const nameOf = (id: string): string => {
    const name = agents.getName(id)
    return name === id ? chatAgents.getName(id) : name
  }
  return (
    <Panel title={t('Agents with errors')} description={t('Failed calls and chat turns of the last 30 days')}>
      <ul className="flex flex-col divide-y divide-line">
        {failing.map(({ key, errors, calls, chats }) => (
          <li key={key} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <Link
              to={
                key.startsWith('chat_agent_') ? '/$workspaceId/chat-agents/$agentId' : '/$workspaceId/agents/$agentId'
              }
              params={{ workspaceId, agentId: key }}
              className="min-w-0 font-medium hover:underline"
              dir="auto"
            >
              {nameOf(key)}
            </Link>
            <span className="text-muted tabular-nums">
              {t('{errors} of {all}', { errors: formats.number(errors), all: formats.number(calls + chats) })}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
