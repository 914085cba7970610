import type { Usage, UsageGroup } from '@parley/contract/usage'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type Column, DataList } from '../../components/data-list.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { QueryView, Skeleton } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { createSinglePage } from '../../lib/api/single-page.ts'
import { useUtcToday } from '../../lib/days.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { Stat, Stats, StatsSkeleton } from '../../parts/stats/stats.tsx'
import { formatLatency } from '../../parts/transcript/conversation-cells.tsx'
import { ConcurrencyPanel } from './concurrency-panel.tsx'
import { DEFAULT_DAYS, listDays, RANGE_OPTIONS_DAYS, resolveRange, type UsageSearch } from './usage-search.ts'
import { calculateTotals, fillDays } from './usage-totals.ts'

export function UsageScreen() {
  const t = useText()
  const search = useSearch({ from: '/signed-in/$workspaceId/usage' })
  const { groupBy = 'day', to } = search
  const range = resolveRange(search, useUtcToday())
  const usage = useRead(
    'getUsage',
    { query: { groupBy, startDate: range.from, ...(to !== undefined && { endDate: to }) } },
    { keepPreviousData: true },
  )
  return (
    <Page title={t('Usage and concurrency')} description={t('Calls, chats, minutes and cost. Days in UTC.')}>
      <RangeFields search={search} range={range} />
      <QueryView query={usage} skeleton={<UsageSkeleton />}>
        {(entries) => <UsageReport entries={entries} groupBy={groupBy} days={listDays(range)} />}
      </QueryView>
      <ConcurrencyPanel />
    </Page>
  )
}

function UsageSkeleton() {
  return (
    <>
      <StatsSkeleton count={5} />
      <Panel>
        <Skeleton lines={15} />
      </Panel>
    </>
  )
}

interface RangeFieldsProps {
  readonly search: UsageSearch
  readonly range: ReturnType<typeof resolveRange>
}

function RangeFields({ search, range }: RangeFieldsProps) {
  const t = useText()
  const navigate = useNavigate({ from: '/$workspaceId/usage' })
  const setRange = (next: UsageSearch): void => void navigate({ search: next, replace: true, resetScroll: false })
  const { days: _days, ...searchWithoutDays } = search
  const { from: _from, to: _to, ...searchWithoutDates } = search
  return (
    <div className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
      <SelectField
        label={t('Range')}
        className="min-w-0 sm:w-44"
        value={search.from === undefined ? String(search.days ?? DEFAULT_DAYS) : 'custom'}
        choices={[
          ...RANGE_OPTIONS_DAYS.map((days) => ({ value: String(days), label: t('Last {days} days', { days }) })),
          ...(search.from === undefined ? [] : [{ value: 'custom', label: t('Custom') }]),
        ]}
        onChange={(days) => setRange({ ...searchWithoutDates, days: Number(days) })}
      />
      <TextField
        label={t('From')}
        type="date"
        className="min-w-0 sm:w-40"
        value={range.from}
        onChange={(day) => setRange(day === '' ? searchWithoutDates : { ...searchWithoutDays, from: day })}
      />
      <TextField
        label={t('To')}
        type="date"
        className="min-w-0 sm:w-40"
        value={range.to}
        onChange={(day) => {
          const { to: _to, ...searchWithoutEnd } = searchWithoutDays
          setRange({ ...searchWithoutEnd, from: range.from, ...(day !== '' && { to: day }) })
        }}
      />
      <SelectField<UsageGroup>
        label={t('Group by')}
        className="min-w-0 sm:w-40"
        value={search.groupBy ?? 'day'}
        choices={[
          { value: 'day', label: t('Day') },
          { value: 'agent', label: t('Agent') },
        ]}
        onChange={(group) => {
          const { groupBy: _by, ...searchWithoutGroup } = search
          setRange({ ...searchWithoutGroup, ...(group !== 'day' && { groupBy: group }) })
        }}
      />
    </div>
  )
}

interface UsageReportProps {
  readonly entries: readonly Usage[]
  readonly groupBy: UsageGroup
  readonly days: readonly string[]
}

function UsageReport({ entries, groupBy, days }: UsageReportProps) {
  const t = useText()
  const format = useFormatter()
  const totals = calculateTotals(entries)
  const visibleEntries = groupBy === 'day' ? fillDays(entries, days) : entries
  return (
    <>
      <Stats label={t('Totals')}>
        <Stat label={t('Calls')} value={format.number(totals.calls)} />
        <Stat label={t('Chats')} value={format.number(totals.chats)} />
        <Stat label={t('Minutes')} value={format.number(totals.minutes, 1)} />
        <Stat label={t('Cost')} value={format.dollars(totals.cost)} note={t('Unpriced items are excluded.')} />
        <Stat label={t('Errors')} value={format.number(totals.errors)} tone={totals.errors > 0 ? 'bad' : 'plain'} />
      </Stats>
      <Panel title={groupBy === 'day' ? t('By day') : t('By agent')}>
        {groupBy === 'day' && <DayChart entries={visibleEntries} />}
        <DataList
          label={t('Usage')}
          pages={createSinglePage([...visibleEntries].reverse())}
          columns={useColumns(groupBy)}
          getRowKey={({ key }) => key}
          emptyState={<p className="text-muted">{t('No usage in this range.')}</p>}
        />
      </Panel>
    </>
  )
}

const CHART_HEIGHT = 160
const GAP_RATIO = 0.2

/** Displays the conversations of each day as bars. The table below contains the numbers. */
function DayChart({ entries }: { readonly entries: readonly Usage[] }) {
  const t = useText()
  const format = useFormatter()
  const bars = entries.map(({ key, calls, chats }) => ({
    key,
    label: format.date(`${key}T00:00:00`),
    value: calls + chats,
  }))
  const maximum = Math.max(...bars.map(({ value }) => value), 0)
  if (maximum === 0) return <p className="text-muted">{t('No usage in this range.')}</p>
  const width = 100 / bars.length
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <svg
        role="img"
        aria-label={t('Conversations per day. The table below contains the numbers.')}
        viewBox={`0 0 100 ${CHART_HEIGHT}`}
        preserveAspectRatio="none"
        className="h-40 w-full border-b border-line text-brand-text"
      >
        {bars.map(({ key, value, label }, index) => {
          const height = (value / maximum) * CHART_HEIGHT
          return (
            <rect
              key={key}
              x={index * width + (width * GAP_RATIO) / 2}
              y={CHART_HEIGHT - height}
              width={width * (1 - GAP_RATIO)}
              height={height}
              fill="currentColor"
            >
              <title>{`${label}: ${format.number(value)}`}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption className="flex justify-between gap-2 text-xs text-muted">
        <span>{bars[0]?.label}</span>
        <span>{bars.length > 1 ? bars.at(-1)?.label : ''}</span>
      </figcaption>
    </figure>
  )
}

function useColumns(groupBy: UsageGroup): readonly Column<Usage>[] {
  const t = useText()
  const format = useFormatter()
  const getEntryName = useEntryName(groupBy)
  const numberColumn = { align: 'end', width: 'w-24' } as const
  return [
    {
      key: 'key',
      title: groupBy === 'day' ? t('Day') : t('Agent'),
      cell: ({ key }) => <span className="line-clamp-2 break-words">{getEntryName(key)}</span>,
    },
    { ...numberColumn, key: 'calls', title: t('Calls'), cell: ({ calls }) => format.number(calls) },
    { ...numberColumn, key: 'chats', title: t('Chats'), visibleFrom: 'sm', cell: ({ chats }) => format.number(chats) },
    {
      ...numberColumn,
      key: 'minutes',
      title: t('Minutes'),
      visibleFrom: 'sm',
      cell: ({ minutes }) => format.number(minutes, 1),
    },
    { ...numberColumn, key: 'cost', title: t('Cost'), cell: ({ cost }) => format.dollars(cost) },
    {
      ...numberColumn,
      key: 'success',
      title: t('Success'),
      visibleFrom: 'md',
      cell: ({ successRate }) => (successRate === null ? '–' : format.percent(successRate)),
    },
    {
      ...numberColumn,
      key: 'p50',
      title: t('Median latency'),
      visibleFrom: 'lg',
      width: 'w-32',
      cell: ({ latencyP50Ms }) => formatLatency(format, latencyP50Ms),
    },
    {
      ...numberColumn,
      key: 'p95',
      title: t('p95 latency'),
      visibleFrom: 'lg',
      width: 'w-28',
      cell: ({ latencyP95Ms }) => formatLatency(format, latencyP95Ms),
    },
    {
      ...numberColumn,
      key: 'errors',
      title: t('Errors'),
      visibleFrom: 'sm',
      cell: ({ errors }) => format.number(errors),
    },
  ]
}

/** Returns a function that names an entry by its day or agent. */
function useEntryName(groupBy: UsageGroup): (key: string) => string {
  const format = useFormatter()
  const agents = useChoices('agents')
  const chatAgents = useChoices('chatAgents')
  return (key) => {
    if (groupBy === 'day') return format.date(`${key}T00:00:00`)
    const name = agents.getName(key)
    return name === key ? chatAgents.getName(key) : name
  }
}
