import type { CallHistoryItem } from '@parley/contract/call-history'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import type { Column } from '../../components/data-list.tsx'
import { Moment } from '../../components/moment.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { SentimentBadge } from '../../parts/transcript/sentiment-badge.tsx'
import { CallStatusBadge } from './call-badges.tsx'
import { directionWord } from './call-words.ts'

/** What the history says of each call. */
export function useCallColumns(): readonly Column<CallHistoryItem>[] {
  const t = useText()
  const formats = useFormats()
  return [
    { key: 'time', title: t('Time'), width: 'md:w-48', cell: (call) => <CallLink call={call} /> },
    {
      key: 'direction',
      title: t('Direction'),
      from: 'xl',
      width: 'w-24',
      cell: ({ direction }) => t(directionWord(direction)),
    },
    {
      key: 'people',
      title: t('From and to'),
      from: 'md',
      cell: (call) => <People call={call} />,
    },
    {
      key: 'agent',
      title: t('Agent'),
      from: 'md',
      width: 'xl:w-40',
      cell: (call) => <AgentOfCall call={call} />,
    },
    {
      key: 'status',
      title: t('Status'),
      width: 'w-32',
      cell: ({ callStatus }) => <CallStatusBadge status={callStatus} />,
    },
    {
      key: 'duration',
      title: t('Duration'),
      width: 'w-20',
      align: 'end',
      cell: ({ durationMs }) => (durationMs === null ? '–' : formats.clock(durationMs / 1_000)),
    },
    {
      key: 'sentiment',
      title: t('Sentiment'),
      from: 'lg',
      width: 'w-24',
      cell: ({ sentiment }) => <SentimentBadge sentiment={sentiment} />,
    },
    {
      key: 'cost',
      title: t('Cost'),
      from: 'sm',
      width: 'w-24',
      align: 'end',
      cell: ({ costs }) => (costs.total === null ? '–' : formats.dollars(costs.total)),
    },
  ]
}

function AgentOfCall({ call: { agentName, agentVersion } }: { readonly call: CallHistoryItem }) {
  const t = useText()
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <span dir="auto" className="truncate text-left" title={agentName}>
        {agentName === '' ? t('Without a name') : agentName}
      </span>
      <span className="shrink-0 text-xs text-muted">v{agentVersion}</span>
    </span>
  )
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
          {startedAt === null ? t('Never began') : <Moment at={startedAt} />}
        </Link>
        {archivedAt !== null && <Badge>{t('Archived')}</Badge>}
      </span>
      <span dir="auto" className="truncate text-left text-xs text-muted md:hidden">
        {call.customerName ?? call.fromNumber ?? agentName}
      </span>
    </span>
  )
}

function People({ call: { customerName, fromNumber, toNumber } }: { readonly call: CallHistoryItem }) {
  if (customerName === null && fromNumber === null && toNumber === null) return <span className="text-muted">–</span>
  const numbers = [fromNumber, toNumber].filter((number) => number !== null).join(' → ')
  return (
    <span className="flex min-w-0 flex-col">
      {customerName !== null && (
        <span dir="auto" className="truncate text-left" title={customerName}>
          {customerName}
        </span>
      )}
      {numbers !== '' && (
        <span dir="ltr" className={customerName === null ? 'truncate' : 'truncate text-xs text-muted'} title={numbers}>
          {numbers}
        </span>
      )}
    </span>
  )
}
