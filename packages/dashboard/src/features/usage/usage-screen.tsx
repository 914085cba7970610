import type { Usage, UsageGroup } from '@parley/contract/usage'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { SelectField, TextField } from '../../components/fields.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Reading, Skeleton } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useUtcToday } from '../../lib/days.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { Bars } from '../../parts/figures/bars.tsx'
import { Figure, Figures, FiguresSkeleton } from '../../parts/figures/figure.tsx'
import { ConcurrencyPanel } from './concurrency-panel.tsx'
import { DEFAULT_DAYS, daysOf, RANGES_DAYS, type UsageSearch, usageRange } from './usage-search.ts'
import { UsageTable } from './usage-table.tsx'
import { fillDays, totalsOf } from './usage-totals.ts'

/** What was used within a range of days, and how many calls may be held at once. */
export function UsageScreen() {
  const t = useText()
  const search = useSearch({ from: '/signed-in/$workspaceId/usage' })
  const { by = 'day', to } = search
  const range = usageRange(search, useUtcToday())
  const usage = useRead(
    'getUsage',
    { query: { groupBy: by, startDate: range.from, ...(to !== undefined && { endDate: to }) } },
    { keepsPrevious: true },
  )
  return (
    <Page title={t('Usage and concurrency')} description={t('Calls, chats, minutes and cost. Days are those of UTC.')}>
      <RangeFields search={search} range={range} />
      <Reading of={usage} waiting={<UsageSkeleton />}>
        {(entries) => <UsageFigures entries={entries} by={by} days={daysOf(range)} />}
      </Reading>
      <ConcurrencyPanel />
    </Page>
  )
}

/** Figures, and below them bars above a table. */
function UsageSkeleton() {
  return (
    <>
      <FiguresSkeleton count={5} />
      <Panel>
        <Skeleton lines={15} />
      </Panel>
    </>
  )
}

function RangeFields({
  search,
  range,
}: {
  readonly search: UsageSearch
  readonly range: ReturnType<typeof usageRange>
}) {
  const t = useText()
  const navigate = useNavigate({ from: '/$workspaceId/usage' })
  const show = (next: UsageSearch): void => void navigate({ search: next, replace: true, resetScroll: false })
  const { days: _days, ...withoutDays } = search
  const { from: _from, to: _to, ...withoutDates } = search
  return (
    <div className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
      <SelectField
        label={t('Range')}
        className="min-w-0 sm:w-44"
        value={search.from === undefined ? String(search.days ?? DEFAULT_DAYS) : 'own'}
        choices={[
          ...RANGES_DAYS.map((days) => ({ value: String(days), label: t('Last {days} days', { days }) })),
          ...(search.from === undefined ? [] : [{ value: 'own', label: t('Own range') }]),
        ]}
        onChange={(days) => show({ ...withoutDates, days: Number(days) })}
      />
      <TextField
        label={t('From')}
        type="date"
        className="min-w-0 sm:w-40"
        value={range.from}
        onChange={(day) => show(day === '' ? withoutDates : { ...withoutDays, from: day })}
      />
      <TextField
        label={t('To')}
        type="date"
        className="min-w-0 sm:w-40"
        value={range.to}
        onChange={(day) => {
          const { to: _to, ...rest } = withoutDays
          show({ ...rest, from: range.from, ...(day !== '' && { to: day }) })
        }}
      />
      <SelectField<UsageGroup>
        label={t('Grouped by')}
        className="min-w-0 sm:w-40"
        value={search.by ?? 'day'}
        choices={[
          { value: 'day', label: t('Day') },
          { value: 'agent', label: t('Agent') },
        ]}
        onChange={(by) => {
          const { by: _by, ...rest } = search
          show({ ...rest, ...(by !== 'day' && { by }) })
        }}
      />
    </div>
  )
}

interface FigureProps {
  readonly entries: readonly Usage[]
  readonly by: UsageGroup
  /** Days of the range. */
  readonly days: readonly string[]
}

function UsageFigures({ entries, by, days }: FigureProps) {
  const t = useText()
  const formats = useFormats()
  const totals = totalsOf(entries)
  const shown = by === 'day' ? fillDays(entries, days) : entries
  return (
    <>
      <Figures label={t('Sums of the range')}>
        <Figure label={t('Calls')} value={formats.number(totals.calls)} />
        <Figure label={t('Chats')} value={formats.number(totals.chats)} />
        <Figure label={t('Minutes')} value={formats.number(totals.minutes, 1)} />
        <Figure
          label={t('Cost')}
          value={formats.dollars(totals.cost)}
          note={t('Parts without a known price are left out.')}
        />
        <Figure label={t('Errors')} value={formats.number(totals.errors)} tone={totals.errors > 0 ? 'bad' : 'plain'} />
      </Figures>
      <Panel title={by === 'day' ? t('By day') : t('By agent')}>
        {by === 'day' && (
          <Bars
            label={t('Conversations of each day; the table below has the numbers')}
            bars={shown.map(({ key, calls, chats }) => ({
              key,
              label: formats.date(`${key}T00:00:00`),
              value: calls + chats,
              text: formats.number(calls + chats),
            }))}
          />
        )}
        <UsageTable entries={[...shown].reverse()} by={by} />
      </Panel>
    </>
  )
}
