import { useNavigate } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight, Download, PhoneCall, PhoneOff } from 'lucide-react'
import { Button, ButtonLink } from '../../components/button.tsx'
import { DataList } from '../../components/data-list.tsx'
import { Empty } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useCallColumns } from './call-columns.tsx'
import { type CallFilter, isFiltered } from './call-filter.ts'
import { useCallExport } from './export-calls.ts'
import { type PagePlace, useHistoryPage } from './history-pages.ts'

interface CallHistoryProps {
  readonly filter: CallFilter
  readonly onClear: () => void
  readonly onPage: (page: number) => void
}

/** One page of the calls that the filter leaves, newest first. */
export function CallHistory({ filter, onClear, onPage }: CallHistoryProps) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { list, place } = useHistoryPage(filter)
  return (
    <>
      {place !== null && place.total > 0 && <HistoryBar place={place} filter={filter} onPage={onPage} />}
      <DataList
        isOnePage
        // Another page begins at its top.
        key={place?.page ?? 0}
        label={t('History of calls')}
        pages={list}
        columns={useCallColumns()}
        rowKey={({ callId }) => callId}
        onOpen={({ callId }) => void navigate({ to: '/$workspaceId/calls/$callId', params: { workspaceId, callId } })}
        empty={<NoCalls filter={filter} place={place} onClear={onClear} onPage={onPage} />}
      />
    </>
  )
}

/** Where the page stands, the way to the others, and the file of all. */
function HistoryBar({
  place: { first, last, total, page, pages },
  filter,
  onPage,
}: Pick<CallHistoryProps, 'filter' | 'onPage'> & { readonly place: PagePlace }) {
  const t = useText()
  const file = useCallExport(filter)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p role="status" className="flex-1 basis-40 text-muted tabular-nums">
        {t('{first, number}–{last, number} of {total, number}', { first, last, total })}
      </p>
      <div className="flex flex-wrap gap-2">
        {file.readRows === null ? (
          <Button icon={Download} onClick={file.start}>
            {t('Export CSV')}
          </Button>
        ) : (
          <Button busy={false} onClick={file.cancel}>
            {t('Cancel export ({count, number} read)', { count: file.readRows })}
          </Button>
        )}
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

function NoCalls({ filter, place, onClear, onPage }: CallHistoryProps & { readonly place: PagePlace | null }) {
  const t = useText()
  const may = useMay()
  const workspaceId = useWorkspaceId()
  if (place !== null && place.total > 0) {
    return (
      <Empty
        icon={PhoneOff}
        title={t('There is no such page')}
        action={<Button onClick={() => onPage(1)}>{t('Go to the first page')}</Button>}
      >
        {t('There are fewer calls than that.')}
      </Empty>
    )
  }
  if (isFiltered(filter)) {
    return (
      <Empty
        icon={PhoneOff}
        title={t('No call matches')}
        action={<Button onClick={onClear}>{t('Clear filters')}</Button>}
      >
        {t('No call fits all of these filters.')}
      </Empty>
    )
  }
  return (
    <Empty
      icon={PhoneCall}
      title={t('No call yet')}
      action={
        may('createWebCall') && (
          <ButtonLink kind="primary" to="/$workspaceId/agents" params={{ workspaceId }}>
            {t('Go to the agents')}
          </ButtonLink>
        )
      }
    >
      {t('Calls stand here from their first second on. Open an agent and talk with it.')}
    </Empty>
  )
}
