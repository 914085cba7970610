import type { CallSummary } from '@parley/contract/call'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { PhoneOff } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { refresh, useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { LiveClock } from '../../parts/transcript/live-clock.tsx'
import { directionWord } from './call-words.ts'
import { EndCallDialog } from './end-call-dialog.tsx'

const EVERY_MS = 3_000
/** As many as one answer holds. */
const MOST_SHOWN = 100

/** Calls that are spoken right now; nothing while there is none. */
export function LiveCalls() {
  const t = useText()
  const client = useQueryClient()
  const { data } = useRead(
    'listCalls',
    { query: { status: 'ongoing', limit: MOST_SHOWN } },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  const [ended, setEnded] = useState<string | null>(null)
  const calls = data?.calls ?? []
  const ids = calls.map(({ callId }) => callId).join(' ')
  const isKnown = data !== undefined
  const before = useRef<string | null>(null)
  useEffect(() => {
    // A call that began or ended stands differently in the history.
    if (isKnown && before.current !== null && before.current !== ids) void refresh(client, ['listCallHistory'])
    if (isKnown) before.current = ids
  }, [client, ids, isKnown])
  const total = data?.pagination.total ?? 0
  return (
    <>
      {calls.length > 0 && (
        <Panel title={t('Live now: {total, plural, one {# call} other {# calls}}', { total })}>
          <ul aria-label={t('Live calls')} className="-my-2 max-h-96 divide-y divide-line overflow-y-auto">
            {calls.map((call) => (
              <LiveCall key={call.callId} call={call} onEnd={() => setEnded(call.callId)} />
            ))}
          </ul>
        </Panel>
      )}
      {ended !== null && <EndCallDialog callId={ended} onClose={() => setEnded(null)} />}
    </>
  )
}

function LiveCall({ call, onEnd }: { readonly call: CallSummary; readonly onEnd: () => void }) {
  const t = useText()
  const may = useMay()
  const { callId, workspaceId, agentName, direction, fromNumber, startedAt } = call
  const name = agentName === '' ? t('Without a name') : agentName
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
          <span>{t(directionWord(direction))}</span>
          {fromNumber !== null && <span dir="ltr">{fromNumber}</span>}
        </p>
      </div>
      <span className="shrink-0">{startedAt === null ? '–' : <LiveClock since={startedAt} />}</span>
      {may('endCall') && (
        <Button icon={PhoneOff} aria-label={t('End the call with {name}', { name })} onClick={onEnd}>
          {t('End')}
        </Button>
      )}
    </li>
  )
}
