import type { Usage, UsageGroup } from '@parley/contract/usage'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { SelectField, TextField } from '../../components/fields.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Reading } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { dayOf, startOfDay, useToday, utcDaysUntil } from '../../lib/days.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { Bars } from '../../parts/figures/bars.tsx'
import { Figure, Figures } from '../../parts/figures/figure.tsx'
import { ConcurrencyPanel } from './concurrency-panel.tsx'
import { DEFAULT_DAYS, RANGES_DAYS, type UsageSearch } from './usage-search.ts'
import { UsageTable } from './usage-table.tsx'
import { fillDays, totalsOf } from './usage-totals.ts'

const DAY_MS = 86_400_000

/** What was used within a range of days, and how many calls may be held at once. */
export function UsageScreen() {
  const t = useText()
  const search = useSearch({ from: '/signed-in/$workspaceId/usage' })
  const today = useToday()
  const { days = DEFAULT_DAYS, from = dayOf(startOfDay(today, days - 1).getTime()), to, by = 'day' } = search
  const usage = useRead(
    'getUsage',
    { query: { groupBy: by, startDate: from, ...(to !== undefined && { endDate: to }) } },
    { keepsPrevious: true },
  )
  return (
    <Page title={t('Usage and concurrency')} description={t('Calls, chats, minutes and cost. Days are those of UTC.')}>
      <RangeFields search={search} from={from} />
      <Reading of={usage} lines={8}>
        {(entries) => <UsageFigures entries={entries} by={by} from={from} to={to ?? dayOf(today)} />}
      </Reading>
      <ConcurrencyPanel />
    </Page>
  )
}

function RangeFields({ search, from }: { readonly search: UsageSearch; readonly from: string }) {
  const t = useText()
  const navigate = useNavigate()
  const show = (next: UsageSearch): void =>
    void navigate({ to: '.', search: next as never, replace: true, resetScroll: false })
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
        value={from}
        onChange={(day) => show(day === '' ? withoutDates : { ...withoutDays, from: day })}
      />
      <TextField
        label={t('To')}
        type="date"
        className="min-w-0 sm:w-40"
        value={search.to ?? ''}
        onChange={(day) => {
          const { to: _to, ...rest } = withoutDays
          show({ ...rest, from, ...(day !== '' && { to: day }) })
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
  readonly from: string
  readonly to: string
}

function UsageFigures({ entries, by, from, to }: FigureProps) {
  const t = useText()
  const formats = useFormats()
  const totals = totalsOf(entries)
  const shown = by === 'day' ? fillDays(entries, daysBetween(from, to)) : entries
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

function daysBetween(from: string, to: string): string[] {
  const last = Date.parse(`${to}T00:00:00Z`)
  const count = Math.round((last - Date.parse(`${from}T00:00:00Z`)) / DAY_MS) + 1
  return utcDaysUntil(last, Math.max(1, Math.min(366, count)))
}
