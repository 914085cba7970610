import type { Workspace } from '@parley/contract/workspace'
import { Link } from '@tanstack/react-router'
import { Building2, Ellipsis, Gauge, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Empty } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { mayCall } from '../../lib/session/rights.ts'
import { useSession } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { ConcurrencyDialog } from './concurrency-dialog.tsx'
import { DeleteWorkspaceDialog } from './delete-workspace-dialog.tsx'
import { EditWorkspaceDialog } from './edit-workspace-dialog.tsx'
import { NewWorkspaceDialog } from './new-workspace-dialog.tsx'

type Action = 'edit' | 'concurrency' | 'delete'
type OnAction = (action: Action, workspace: Workspace) => void

/** The workspaces that the person reaches. */
export function WorkspaceList() {
  const t = useText()
  const answer = useRead('listWorkspaces', {})
  const [isCreating, setIsCreating] = useState(false)
  const [chosen, setChosen] = useState<{ readonly action: Action; readonly workspace: Workspace } | null>(null)
  const close = (): void => setChosen(null)
  useHotkeys({ n: () => setIsCreating(true) })
  const newButton = (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New workspace')}
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="flex justify-end">{newButton}</div>
      <DataList
        label={t('Workspaces')}
        pages={{
          ...answer,
          rows: answer.data?.workspaces ?? [],
          // The list is answered whole.
          hasNextPage: false,
          isFetchingNextPage: false,
          fetchNextPage: answer.refetch,
          refetch: answer.refetch,
        }}
        columns={useColumns((action, workspace) => setChosen({ action, workspace }))}
        rowKey={({ id }) => String(id)}
        empty={
          <Empty icon={Building2} title={t('No workspace yet')} action={newButton}>
            {t('Agents, numbers and conversations belong to a workspace.')}
          </Empty>
        }
      />
      {isCreating && <NewWorkspaceDialog onClose={() => setIsCreating(false)} />}
      {chosen?.action === 'edit' && <EditWorkspaceDialog workspace={chosen.workspace} onClose={close} />}
      {chosen?.action === 'concurrency' && <ConcurrencyDialog workspace={chosen.workspace} onClose={close} />}
      {chosen?.action === 'delete' && <DeleteWorkspaceDialog workspace={chosen.workspace} onClose={close} />}
    </div>
  )
}

function useColumns(onAction: OnAction): readonly Column<Workspace>[] {
  const t = useText()
  const current = useWorkspaceId()
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ id, name }) => (
        <span className="flex min-w-0 flex-wrap items-center gap-2">
          <Link
            to="/$workspaceId"
            params={{ workspaceId: id }}
            className="line-clamp-2 min-w-0 font-medium hover:underline"
            dir="auto"
          >
            {name}
          </Link>
          {id === current && <Badge tone="brand">{t('You are here')}</Badge>}
        </span>
      ),
    },
    { key: 'id', title: t('Id'), from: 'sm', width: 'w-20', align: 'end', cell: ({ id }) => id },
    {
      key: 'account',
      title: t('Account'),
      from: 'lg',
      width: 'w-64',
      cell: ({ accountPath }) => (
        <span className="block truncate" title={accountPath}>
          {accountPath}
        </span>
      ),
    },
    {
      key: 'calls',
      title: t('Live calls'),
      from: 'md',
      width: 'w-32',
      align: 'end',
      cell: ({ id }) => <LiveCalls workspaceId={id} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (workspace) => <WorkspaceMenu workspace={workspace} onAction={onAction} />,
    },
  ]
}

function LiveCalls({ workspaceId }: { readonly workspaceId: number }) {
  const t = useText()
  const { data } = useRead('getConcurrency', { query: { workspaceId } })
  if (data === undefined) return '–'
  return t('{used} of {most}', { used: data.currentUsage, most: data.maxConcurrent })
}

function WorkspaceMenu({ workspace, onAction }: { readonly workspace: Workspace; readonly onAction: OnAction }) {
  const t = useText()
  const session = useSession()
  if (!mayCall(session, 'updateWorkspace', workspace.id)) return null
  const items: readonly MenuItem[] = [
    { label: t('Edit …'), icon: Pencil, onSelect: () => onAction('edit', workspace) },
    { label: t('Concurrency …'), icon: Gauge, onSelect: () => onAction('concurrency', workspace) },
    { label: t('Delete …'), icon: Trash2, kind: 'danger', onSelect: () => onAction('delete', workspace) },
  ]
  return (
    <Menu
      items={items}
      trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: workspace.name })} />}
    />
  )
}
