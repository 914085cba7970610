import type { CallSummary } from '@parley/contract/call'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { PhoneOff } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { refresh, useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { LiveClock } from '../../parts/transcript/conversation-cells.tsx'
import { EndCallDialog } from './call-actions.tsx'
import { type CallFilter, readCallFilter } from './call-filter.ts'
import { CallFilters } from './call-filters.tsx'
import { CallHistory } from './call-history.tsx'
import { getDirectionLabel } from './call-labels.tsx'

const LIVE_POLL_MS = 3_000
/** Maximum number of calls per response. */
const MAX_LIVE_CALLS = 100

export function CallsScreen() {
  const t = useText()
  const filter = useSearch({ from: '/signed-in/$workspaceId/calls' })
  const navigate = useNavigate({ from: '/$workspaceId/calls' })
  const setFilter = (search: CallFilter): void => void navigate({ search, replace: true })
  const clearFilter = (): void => setFilter({})
  return (
    <Page title={t('Calls')} description={t('Live and past calls with their outcome, latency and cost.')}>
      <LiveCalls />
      <section aria-label={t('History')} className="flex min-w-0 flex-col gap-4">
        <h2 className="text-base font-semibold">{t('History')}</h2>
        <CallFilters filter={filter} onChange={setFilter} onClear={clearFilter} />
        <CallHistory
          filter={filter}
          onClear={clearFilter}
          onPage={(page) => void navigate({ search: (previous) => ({ ...previous, page }) })}
          onSort={(sort) => setFilter(readCallFilter({ ...filter, sort, page: undefined }))}
        />
      </section>
    </Page>
  )
}

/** Displays live calls, or nothing if there are none. */
function LiveCalls() {
  const t = useText()
  const client = useQueryClient()
  const { data } = useRead(
    'listCalls',
    { query: { status: 'ongoing', limit: MAX_LIVE_CALLS } },
    { refetchMs: LIVE_POLL_MS, keepPreviousData: true },
  )
  const [endingCallId, setEndingCallId] = useState<string | null>(null)
  const calls = data?.calls ?? []
  const callIds = data === undefined ? null : calls.map(({ callId }) => callId).join(' ')
  const previousCallIds = useRef<string | null>(null)
  useEffect(() => {
    // A call that starts or ends changes the history.
    if (callIds !== null && previousCallIds.current !== null && previousCallIds.current !== callIds)
      void refresh(client, ['listCallHistory'])
    if (callIds !== null) previousCallIds.current = callIds
  }, [client, callIds])
  return (
    <>
      {calls.length > 0 && (
        <Panel title={t('Live calls ({total, number})', { total: data?.pagination.total ?? 0 })}>
          <ul aria-label={t('Live calls')} className="-my-2 max-h-96 divide-y divide-line overflow-y-auto">
            {calls.map((call) => (
              <LiveCall key={call.callId} call={call} onEnd={() => setEndingCallId(call.callId)} />
            ))}
          </ul>
        </Panel>
      )}
      {endingCallId !== null && <EndCallDialog callId={endingCallId} onClose={() => setEndingCallId(null)} />}
    </>
  )
}

function LiveCall({ call, onEnd }: { readonly call: CallSummary; readonly onEnd: () => void }) {
  const t = useText()
  const can = useCan()
  const { callId, workspaceId, agentName, direction, fromNumber, startedAt } = call
  const name = agentName === '' ? t('Unnamed') : agentName
  return (
    <li className="flex items-center gap-4 py-2">
      <div className="min-w-0 flex-1">
        <Link
          to="/$workspaceId/calls/$callId"
          params={{ workspaceId, callId }}
          dir="auto"
          title={name}
          className="block truncate text-left font-medium hover:underline"
        >
          {name}
        </Link>
        <p className="flex flex-wrap gap-x-3 text-muted">
          <span>{t(getDirectionLabel(direction))}</span>
          {fromNumber !== null && <span dir="ltr">{fromNumber}</span>}
        </p>
      </div>
      <span className="shrink-0">{startedAt === null ? '–' : <LiveClock startedAt={startedAt} />}</span>
      {can('endCall') && (
        <Button icon={PhoneOff} aria-label={t('End the call with {name}', { name })} onClick={onEnd}>
          {t('End')}
        </Button>
      )}
    </li>
  )
}
