import type { Workspace } from '@parley/contract/workspace'
import { Link, useNavigate } from '@tanstack/react-router'
import { Building2, Gauge, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import type { Column } from '../../components/data-list.tsx'
import { SwitchField } from '../../components/fields.tsx'
import { ListScreen, useRowActions } from '../../components/list-screen.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { toPages } from '../../lib/api/single-page.ts'
import { useText } from '../../lib/language.ts'
import { canCall, useCan } from '../../lib/session/rights.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { ConcurrencyDialog } from '../../parts/concurrency/concurrency-dialog.tsx'
import { NameField } from './owner-fields.tsx'

const MAX_TENANTS = 1_000

/** Lists the workspaces that the user can access. */
export function WorkspaceList() {
  const t = useText()
  const session = useSession()
  const isAvailable = ({ id }: Workspace): boolean => canCall(session, 'updateWorkspace', id)
  const rowActions = useRowActions<Workspace>(
    ({ name }) => name,
    [
      {
        label: t('Edit…'),
        icon: Pencil,
        isAvailable,
        dialog: (workspace, onClose) => <EditWorkspaceDialog workspace={workspace} onClose={onClose} />,
      },
      {
        label: t('Concurrency…'),
        icon: Gauge,
        isAvailable,
        dialog: (workspace, onClose) => <ConcurrencyDialog workspace={workspace} onClose={onClose} />,
      },
      {
        label: t('Delete…'),
        icon: Trash2,
        kind: 'danger',
        isAvailable,
        dialog: (workspace, onClose) => <DeleteWorkspaceDialog workspace={workspace} onClose={onClose} />,
      },
    ],
  )
  return (
    <ListScreen
      title={t('Workspaces')}
      createAction={{
        label: t('New workspace'),
        isAllowed: true,
        dialog: (onClose) => <NewWorkspaceDialog onClose={onClose} />,
      }}
      pages={toPages(useRead('listWorkspaces', {}), ({ workspaces }) => workspaces)}
      columns={useColumns()}
      rowActions={rowActions}
      getRowKey={({ id }) => String(id)}
      emptyState={{
        icon: Building2,
        title: t('No workspaces yet'),
        children: t('Agents, numbers and conversations belong to a workspace.'),
      }}
    />
  )
}

function useColumns(): readonly Column<Workspace>[] {
  const t = useText()
  const currentWorkspaceId = useWorkspaceId()
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
          {id === currentWorkspaceId && <Badge tone="brand">{t('Current')}</Badge>}
        </span>
      ),
    },
    { key: 'id', title: t('ID'), visibleFrom: 'sm', width: 'w-20', align: 'end', cell: ({ id }) => id },
    {
      key: 'account',
      title: t('Account'),
      visibleFrom: 'lg',
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
      visibleFrom: 'md',
      width: 'w-32',
      align: 'end',
      cell: ({ id }) => <LiveCalls workspaceId={id} />,
    },
  ]
}

function LiveCalls({ workspaceId }: { readonly workspaceId: number }) {
  const t = useText()
  const { data } = useRead('getConcurrency', { query: { workspaceId } })
  if (data === undefined) return '–'
  return t('{used} of {max}', { used: data.currentUsage, max: data.maxConcurrent })
}

/** Creates a workspace in the account of the current workspace, or in another selected account. */
function NewWorkspaceDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const can = useCan()
  const currentWorkspaceId = useWorkspaceId()
  const account = useWorkspaces().find(({ id }) => id === currentWorkspaceId)?.accountSid ?? null
  const canSelectAccount = can('listTenants')
  const [name, setName] = useState('')
  const [tenantId, setTenantId] = useState(canSelectAccount ? account : null)
  const tenants = useRead('listTenants', { query: { limit: MAX_TENANTS } }, { enabled: canSelectAccount })
  return (
    <OperationDialog
      operation="createWorkspace"
      params={{ body: { name, tenantId } }}
      invalidates={['listWorkspaces', 'getSession']}
      title={t('New workspace')}
      submitLabel={t('Create workspace')}
      canSubmit={name.trim() !== ''}
      successMessage={t('Workspace created')}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} />
      {canSelectAccount && (
        <RecordField
          label={t('Account')}
          name="tenantId"
          value={tenantId}
          choices={(tenants.data ?? []).map(({ tenantId: id, name: label, accountPath: hint }) => ({
            id,
            label,
            hint,
          }))}
          isLoading={tenants.isPending}
          onChange={setTenantId}
        />
      )}
    </OperationDialog>
  )
}

interface WorkspaceDialogProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

function EditWorkspaceDialog({ workspace, onClose }: WorkspaceDialogProps) {
  const t = useText()
  const [name, setName] = useState(workspace.name)
  const [isNativeTransferEnabled, setIsNativeTransferEnabled] = useState(workspace.nativeTransferEnabled)
  const changes = {
    ...(name.trim() !== workspace.name && { name }),
    ...(isNativeTransferEnabled !== workspace.nativeTransferEnabled && {
      nativeTransferEnabled: isNativeTransferEnabled,
    }),
  }
  return (
    <OperationDialog
      operation="updateWorkspace"
      params={{ path: { workspaceId: workspace.id }, body: changes }}
      invalidates={['listWorkspaces', 'getWorkspace']}
      title={t('Edit workspace')}
      submitLabel={t('Save')}
      canSubmit={name.trim() !== '' && Object.keys(changes).length > 0}
      successMessage={t('Workspace saved')}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} />
      <SwitchField
        label={t('Native transfer')}
        help={t('The carrier transfers calls. This setting has no effect yet.')}
        value={isNativeTransferEnabled}
        onChange={setIsNativeTransferEnabled}
      />
    </OperationDialog>
  )
}

function DeleteWorkspaceDialog({ workspace: { id, name }, onClose }: WorkspaceDialogProps) {
  const t = useText()
  const navigate = useNavigate()
  const currentWorkspaceId = useWorkspaceId()
  return (
    <ConfirmDialog
      operation="deleteWorkspace"
      params={{ path: { workspaceId: id } }}
      invalidates={['listWorkspaces', 'getSession']}
      title={t('Delete workspace?')}
      description={t(
        'This permanently deletes all agents, calls, chats, recordings, numbers, members and secrets in this workspace. A workspace with live calls cannot be deleted.',
      )}
      name={name}
      label={t('Delete workspace')}
      successMessage={t('Workspace deleted')}
      onClose={onClose}
      {...(id === currentWorkspaceId && { onSuccess: () => void navigate({ to: '/' }) })}
    />
  )
}
