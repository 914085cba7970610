import type { WeightedAgent } from '@parley/contract/number-agent'
import type { PhoneNumber } from '@parley/contract/phone-number'
import { Link, useNavigate } from '@tanstack/react-router'
import { Download, Phone, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { ListScreen, useRowActions } from '../../components/list-screen.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { DeleteNumberDialog, ImportNumberDialog, NewNumberDialog } from './number-dialogs.tsx'
import { PROVIDER_NAMES } from './number-draft.ts'
import { TelephonyNote } from './number-panels.tsx'
import { toPercent } from './weights.ts'

/** Lists the numbers of the workspace, latest first. */
export function NumbersScreen() {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const pages = usePages('listNumbers', {})
  const [isImporting, setIsImporting] = useState(false)
  const canCreate = can('createNumber')
  const openNumber = ({ number }: PhoneNumber): void =>
    void navigate({ to: '/$workspaceId/numbers/$number', params: { workspaceId, number } })
  const rowActions = useRowActions<PhoneNumber>(
    ({ number }) => number,
    [
      {
        label: t('Delete…'),
        icon: Trash2,
        kind: 'danger',
        operation: 'deleteNumber',
        dialog: ({ number }, onClose) => <DeleteNumberDialog number={number} onClose={onClose} />,
      },
    ],
  )
  return (
    <ListScreen
      title={t('Phone numbers')}
      description={t('Phone numbers and the agents that answer and place calls on them.')}
      createAction={{
        label: t('New number'),
        isAllowed: canCreate,
        dialog: (onClose) => <NewNumberDialog onClose={onClose} onCreated={openNumber} />,
      }}
      actions={
        canCreate &&
        can('importNumber') && (
          <Button icon={Download} onClick={() => setIsImporting(true)}>
            {t('Import number')}
          </Button>
        )
      }
      filters={<TelephonyNote />}
      pages={pages}
      columns={useColumns()}
      rowActions={rowActions}
      getRowKey={({ number }) => number}
      onOpen={openNumber}
      emptyState={{
        icon: Phone,
        title: t('No numbers yet'),
        children: t('Add a number and assign the agents that answer it.'),
      }}
    >
      {isImporting && <ImportNumberDialog onClose={() => setIsImporting(false)} onCreated={openNumber} />}
    </ListScreen>
  )
}

function useColumns(): readonly Column<PhoneNumber>[] {
  const t = useText()
  return [
    { key: 'number', title: t('Number'), cell: (number) => <NumberLink number={number} /> },
    {
      key: 'provider',
      title: t('Carrier'),
      visibleFrom: 'lg',
      width: 'w-28',
      cell: ({ provider }) => PROVIDER_NAMES[provider],
    },
    {
      key: 'inbound',
      title: t('Inbound agents'),
      visibleFrom: 'sm',
      width: 'w-[35%] lg:w-[30%]',
      cell: ({ inbound_agents: agents }) => <AgentShares agents={agents} showWeights />,
    },
    {
      key: 'outbound',
      title: t('Outbound agent'),
      visibleFrom: 'md',
      width: 'w-[20%]',
      cell: ({ outbound_agents: agents }) => <AgentShares agents={agents} showWeights={false} />,
    },
  ]
}

function NumberLink({
  number: { number, nickname, platform_import_error: hasImportError },
}: {
  readonly number: PhoneNumber
}) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0">
        <Link
          to="/$workspaceId/numbers/$number"
          params={{ workspaceId, number }}
          className="font-medium tabular-nums hover:underline"
          dir="ltr"
        >
          {number}
        </Link>
        {nickname !== null && nickname !== '' && (
          <span className="line-clamp-2 text-muted" dir="auto">
            {nickname}
          </span>
        )}
      </span>
      {hasImportError && <Badge tone="warn">{t('Not connected')}</Badge>}
    </span>
  )
}

const MAX_SHOWN_AGENTS = 3

interface AgentSharesProps {
  readonly agents: readonly WeightedAgent[]
  readonly showWeights: boolean
}

function AgentShares({ agents, showWeights }: AgentSharesProps) {
  const t = useText()
  const format = useFormatter()
  const { getName } = useChoices('agents')
  if (agents.length === 0) return <span className="text-muted">–</span>
  return (
    <span className="flex min-w-0 flex-col">
      {agents.slice(0, MAX_SHOWN_AGENTS).map(({ agent_id: id, agent_version: version, weight }) => (
        <span key={`${id} ${version}`} className="flex min-w-0 gap-2">
          <span className="min-w-0 truncate" dir="auto" title={getName(id)}>
            {getName(id)}
          </span>
          {version !== null && <span className="shrink-0 text-muted">{`v${version}`}</span>}
          {showWeights && (
            <span className="shrink-0 text-muted tabular-nums">{`${format.number(toPercent(weight), 2)} %`}</span>
          )}
        </span>
      ))}
      {agents.length > MAX_SHOWN_AGENTS && (
        <span className="text-muted">{t('and {count, number} more', { count: agents.length - MAX_SHOWN_AGENTS })}</span>
      )}
    </span>
  )
}
