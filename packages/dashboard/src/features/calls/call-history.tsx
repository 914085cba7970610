import type { CallHistoryItem } from '@parley/contract/call-history'
import { Link, useNavigate } from '@tanstack/react-router'
import { Archive, ChevronLeft, ChevronRight, PhoneCall, PhoneOff, Trash2 } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataList, type ListSort } from '../../components/data-list.tsx'
import { type BulkAction, SelectionBar, useSelection } from '../../components/selectable-rows.tsx'
import { EmptyState } from '../../components/states.tsx'
import { DateTime } from '../../components/time.tsx'
import { addWorkspace, useRead } from '../../lib/api/hooks.ts'
import { type OperationName, request, type ValueOf } from '../../lib/api/request.ts'
import { createSinglePage } from '../../lib/api/single-page.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NoConversations, useConversationColumns } from '../../parts/transcript/conversation-list.tsx'
import { type CsvSource, ExportButton } from '../../parts/transcript/csv-export.tsx'
import { NoMatches } from '../../parts/transcript/filter-bar.tsx'
import { type CallFilter, calculateRowRange, isFiltered, toHistoryQuery } from './call-filter.ts'
import { CallStatusBadge, END_REASONS, getDirectionLabel } from './call-labels.tsx'

interface CallHistoryProps {
  readonly filter: CallFilter
  readonly onClear: () => void
  readonly onPage: (page: number) => void
  readonly onSort: ListSort['onChange']
}

type Pagination = ValueOf<'listCallHistory'>['pagination']

/** For other orders than the default, the API sorts only this many of the newest calls. */
const MAX_SORTED_CALLS = 5_000

/** Displays one page of the call history. */
export function CallHistory({ filter, onClear, onPage, onSort }: CallHistoryProps) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const callsQuery = useRead('listCallHistory', { query: toHistoryQuery(filter) }, { keepPreviousData: true })
  const rows = callsQuery.data?.calls ?? []
  const pagination = callsQuery.data?.pagination ?? null
  const selection = useSelection(rows, { getRowKey: ({ callId }) => callId, getName: useCallName() })
  const actions = useBulkActions()
  const { error, isPending, isFetching, refetch } = callsQuery
  return (
    <>
      {pagination !== null && pagination.total > 0 && (
        <HistoryBar pagination={pagination} rowCount={rows.length} filter={filter} onPage={onPage} />
      )}
      <DataList
        isOnePage
        // Resets the scroll position when the page changes.
        key={pagination?.page ?? 0}
        label={t('Call history')}
        pages={{ ...createSinglePage(rows), error, isPending, isFetching, refetch }}
        columns={useColumns(actions.length > 0 ? [selection.column] : [])}
        getRowKey={selection.getRowKey}
        sort={{ order: filter.sort, onChange: onSort }}
        onOpen={({ callId }) => void navigate({ to: '/$workspaceId/calls/$callId', params: { workspaceId, callId } })}
        emptyState={<NoCalls filter={filter} pagination={pagination} onClear={onClear} onPage={onPage} />}
      />
      <SelectionBar selection={selection} actions={actions} invalidates={['listCallHistory', 'listCalls', 'getCall']} />
    </>
  )
}

function useCallName(): (call: CallHistoryItem) => string {
  const format = useFormatter()
  return ({ callId, startedAt, customerName, fromNumber, agentName }) =>
    [startedAt === null ? callId : format.dateTime(startedAt), customerName ?? fromNumber ?? agentName].join(', ')
}

function useBulkActions(): readonly BulkAction<CallHistoryItem>[] {
  const t = useText()
  const can = useCan()
  const actions: readonly (BulkAction<CallHistoryItem> & { readonly operation: OperationName })[] = [
    {
      operation: 'archiveCall',
      label: t('Archive'),
      icon: Archive,
      run: ({ callId }) => request('archiveCall', { path: { callId }, body: { archived: true } }),
      successMessage: t('Calls archived'),
    },
    {
      operation: 'deleteCall',
      label: t('Delete…'),
      icon: Trash2,
      confirm: {
        title: t('Delete selected calls?'),
        description: t('Transcripts, recordings and all other data of these calls are permanently deleted.'),
      },
      run: ({ callId }) => request('deleteCall', { path: { callId } }),
      successMessage: t('Calls deleted'),
    },
  ]
  return actions.filter(({ operation }) => can(operation))
}

interface HistoryBarProps extends Pick<CallHistoryProps, 'filter' | 'onPage'> {
  readonly pagination: Pagination
  readonly rowCount: number
}

function HistoryBar({ pagination: { page, pages, total }, rowCount, filter, onPage }: HistoryBarProps) {
  const t = useText()
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p role="status" className="flex-1 basis-40 text-muted tabular-nums">
        {t('{first, number}–{last, number} of {total, number}', { ...calculateRowRange(page, rowCount), total })}
        {filter.sort !== undefined && total >= MAX_SORTED_CALLS && ` · ${t('Only the newest calls are sorted.')}`}
      </p>
      <div className="flex flex-wrap gap-2">
        <ExportButton source={useCsvSource(filter)} />
        <Button icon={ChevronLeft} disabled={page <= 1} onClick={() => onPage(page - 1)}>
          {t('Previous')}
        </Button>
        <Button disabled={page >= pages} onClick={() => onPage(page + 1)}>
          {t('Next')}
          <ChevronRight aria-hidden="true" className="size-4" />
        </Button>
      </div>
    </div>
  )
}

/** Returns the source of the CSV export. Times are in UTC so that spreadsheets can compare them. */
function useCsvSource(filter: CallFilter): CsvSource<CallHistoryItem> {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return {
    fileName: 'calls.csv',
    getRowKey: ({ callId }) => callId,
    async *readPages(signal) {
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const params = addWorkspace('listCallHistory', { query: toHistoryQuery(filter, page) }, workspaceId)
        const { value } = await request('listCallHistory', params, { signal })
        pages = value.pagination.pages
        yield value.calls
      }
    },
    columns: [
      [t('Call ID'), ({ callId }) => callId],
      [t('Started (UTC)'), ({ startedAt }) => startedAt],
      [t('Direction'), ({ direction }) => direction ?? 'web'],
      [t('From number'), ({ fromNumber }) => fromNumber],
      [t('To number'), ({ toNumber }) => toNumber],
      [t('Customer'), ({ customerName }) => customerName],
      [t('Agent'), ({ agentName }) => agentName],
      [t('Version'), ({ agentVersion }) => agentVersion],
      [t('Status'), ({ callStatus }) => callStatus],
      [t('End reason'), ({ disconnectionReason }) => disconnectionReason],
      [t('Successful'), ({ successful }) => (successful === null ? null : String(successful))],
      [t('Seconds'), ({ duration }) => duration],
      [t('Median latency (ms)'), ({ latencyP50Ms }) => latencyP50Ms],
      [t('Sentiment'), ({ sentiment }) => sentiment],
      [t('Cost (USD)'), ({ costs }) => costs.total],
      [t('Summary'), ({ summary }) => summary],
    ],
  }
}

function NoCalls({
  filter,
  pagination,
  onClear,
  onPage,
}: Omit<CallHistoryProps, 'onSort'> & { readonly pagination: Pagination | null }) {
  const t = useText()
  if (pagination !== null && pagination.total > 0) {
    return (
      <EmptyState
        icon={PhoneOff}
        title={t('Page not found')}
        action={<Button onClick={() => onPage(1)}>{t('Go to the first page')}</Button>}
      >
        {t('The list has fewer pages.')}
      </EmptyState>
    )
  }
  if (isFiltered(filter)) return <NoMatches onClear={onClear} />
  return (
    <NoConversations icon={PhoneCall} title={t('No calls yet')} operation="createWebCall">
      {t('Calls appear here as soon as they start. Open an agent to talk to it.')}
    </NoConversations>
  )
}

function useColumns(leadingColumns: readonly Column<CallHistoryItem>[]): readonly Column<CallHistoryItem>[] {
  const t = useText()
  const format = useFormatter()
  const { agent, outcome, sentiment, latency, cost } = useConversationColumns<CallHistoryItem>((call) => ({
    ...call,
    latencyMs: call.latencyP50Ms,
    cost: call.costs.total,
  }))
  return [
    ...leadingColumns,
    { key: 'time', title: t('Time'), width: 'md:w-46', cell: (call) => <CallLink call={call} /> },
    { key: 'people', title: t('From and to'), visibleFrom: 'md', cell: (call) => <Participants call={call} /> },
    agent,
    {
      key: 'status',
      title: t('Status'),
      width: 'w-28 md:w-32',
      cell: ({ callStatus, disconnectionReason: reason }) => (
        <span title={reason === null ? undefined : t(END_REASONS[reason])}>
          <CallStatusBadge status={callStatus} />
        </span>
      ),
    },
    outcome,
    sentiment,
    {
      key: 'duration',
      sortKey: 'duration',
      title: t('Duration'),
      width: 'w-20 md:w-24',
      align: 'end',
      cell: ({ durationMs }) => (durationMs === null ? '–' : format.timecode(durationMs / 1_000)),
    },
    { ...latency, sortKey: 'latency' },
    { ...cost, sortKey: 'cost' },
  ]
}

function CallLink({ call }: { readonly call: CallHistoryItem }) {
  const t = useText()
  const { callId, startedAt, archivedAt, agentName } = call
  return (
    <span className="flex min-w-0 flex-col">
      <span className="flex flex-wrap items-center gap-x-2">
        <Link
          to="/$workspaceId/calls/$callId"
          params={{ workspaceId: call.workspaceId, callId }}
          className="font-medium *:whitespace-normal hover:underline md:*:whitespace-nowrap"
        >
          {startedAt === null ? t('Not started') : <DateTime time={startedAt} />}
        </Link>
        {archivedAt !== null && <Badge>{t('Archived')}</Badge>}
      </span>
      <span dir="auto" className="truncate text-left text-xs text-muted md:hidden">
        {call.customerName ?? call.fromNumber ?? agentName}
      </span>
    </span>
  )
}

function Participants({ call: { customerName, fromNumber, toNumber, direction } }: { readonly call: CallHistoryItem }) {
  const t = useText()
  const numbers = [fromNumber, toNumber].filter((number) => number !== null).join(' → ')
  const title = customerName ?? numbers
  const details = [t(getDirectionLabel(direction)), ...(customerName === null ? [] : [numbers])]
  const subtitle = details.filter((detail) => detail !== '').join(' · ')
  return (
    <span className="flex min-w-0 flex-col">
      {title !== '' && (
        <span dir="auto" className="truncate text-left" title={title}>
          {title}
        </span>
      )}
      <span className="truncate text-xs text-muted" title={subtitle}>
        {subtitle}
      </span>
    </span>
  )
}
