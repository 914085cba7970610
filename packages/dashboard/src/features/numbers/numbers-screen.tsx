import type { WeightedAgent } from '@parley/contract/number-agent'
import type { PhoneNumber } from '@parley/contract/phone-number'
import { Link, useNavigate } from '@tanstack/react-router'
import { Download, Ellipsis, Phone, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Menu } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { DeleteNumberDialog, ImportNumberDialog, NewNumberDialog } from './number-dialogs.tsx'
import { PROVIDER_NAMES } from './number-draft.ts'
import { TelephonyNote } from './number-panels.tsx'
import { percentOf } from './weights.ts'

/** The numbers of the workspace, newest first. */
export function NumbersScreen() {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const pages = usePages('listNumbers', {})
  const [shown, setShown] = useState<'new' | 'import' | null>(null)
  const [deleted, setDeleted] = useState<PhoneNumber | null>(null)
  const canCreate = can('createNumber')
  useHotkeys(canCreate ? { n: () => setShown('new') } : {})
  const open = ({ number }: PhoneNumber): void =>
    void navigate({ to: '/$workspaceId/numbers/$number', params: { workspaceId, number } })

  const newButton = (
    <Button kind="primary" icon={Plus} onClick={() => setShown('new')}>
      {t('New number')}
    </Button>
  )
  return (
    <Page
      title={t('Phone numbers')}
      description={t('Numbers with the agents that answer them and call from them.')}
      actions={
        canCreate && (
          <>
            {can('importNumber') && (
              <Button icon={Download} onClick={() => setShown('import')}>
                {t('Import number')}
              </Button>
            )}
            {newButton}
          </>
        )
      }
    >
      <TelephonyNote />
      <DataList
        label={t('Phone numbers')}
        pages={pages}
        columns={useColumns(setDeleted)}
        rowKey={({ number }) => number}
        onOpen={open}
        empty={
          <Empty icon={Phone} title={t('No numbers yet')} action={canCreate && newButton}>
            {t('Add a number and assign the agents that answer it.')}
          </Empty>
        }
      />
      {shown === 'new' && <NewNumberDialog onClose={() => setShown(null)} onCreated={open} />}
      {shown === 'import' && <ImportNumberDialog onClose={() => setShown(null)} onCreated={open} />}
      {deleted && <DeleteNumberDialog number={deleted.number} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

function useColumns(onDelete: (number: PhoneNumber) => void): readonly Column<PhoneNumber>[] {
  const t = useText()
  return [
    { key: 'number', title: t('Number'), cell: (number) => <NumberLink number={number} /> },
    {
      key: 'provider',
      title: t('Provider'),
      from: 'lg',
      width: 'w-28',
      cell: ({ provider }) => PROVIDER_NAMES[provider],
    },
    {
      key: 'inbound',
      title: t('Inbound agents'),
      from: 'sm',
      width: 'w-[35%] lg:w-[30%]',
      cell: ({ inbound_agents: agents }) => <AgentShares agents={agents} showsWeights />,
    },
    {
      key: 'outbound',
      title: t('Outbound agent'),
      from: 'md',
      width: 'w-[20%]',
      cell: ({ outbound_agents: agents }) => <AgentShares agents={agents} showsWeights={false} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (number) => <NumberMenu number={number} onDelete={onDelete} />,
    },
  ]
}

function NumberLink({
  number: { number, nickname, platform_import_error: hasFailed },
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
      {hasFailed && <Badge tone="warn">{t('Not connected')}</Badge>}
    </span>
  )
}

function NumberMenu({
  number,
  onDelete,
}: {
  readonly number: PhoneNumber
  readonly onDelete: (number: PhoneNumber) => void
}) {
  const t = useText()
  const can = useCan()
  if (!can('deleteNumber')) return null
  return (
    <Menu
      items={[{ label: t('Delete …'), icon: Trash2, kind: 'danger', onSelect: () => onDelete(number) }]}
      trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: number.number })} />}
    />
  )
}

const MAX_SHOWN_AGENTS = 3

interface AgentSharesProps {
  readonly agents: readonly WeightedAgent[]
  readonly showsWeights: boolean
}

function AgentShares({ agents, showsWeights }: AgentSharesProps) {
  const t = useText()
  const formats = useFormats()
  const { nameOf } = useChoices('agents')
  if (agents.length === 0) return <span className="text-muted">–</span>
  return (
    <span className="flex min-w-0 flex-col">
      {agents.slice(0, MAX_SHOWN_AGENTS).map(({ agent_id: id, agent_version: version, weight }) => (
        <span key={`${id} ${version}`} className="flex min-w-0 gap-2">
          <span className="min-w-0 truncate" dir="auto" title={nameOf(id)}>
            {nameOf(id)}
          </span>
          {version !== null && <span className="shrink-0 text-muted">{`v${version}`}</span>}
          {showsWeights && (
            <span className="shrink-0 text-muted tabular-nums">{`${formats.number(percentOf(weight), 2)} %`}</span>
          )}
        </span>
      ))}
      {agents.length > MAX_SHOWN_AGENTS && (
        <span className="text-muted">{t('and {count, number} more', { count: agents.length - MAX_SHOWN_AGENTS })}</span>
      )}
    </span>
  )
}
