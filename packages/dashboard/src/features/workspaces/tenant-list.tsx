import type { Tenant } from '@parley/contract/tenant'
import { Building, Pencil, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import { CopyText } from '../../components/copy-button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { ListScreen, useRowActions } from '../../components/list-screen.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import { usePages, useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { TenantAdministratorsDialog } from './administrators.tsx'
import { EMPTY_OWNER, NameAndPathFields, NameField, toOwnerFields } from './owner-fields.tsx'

const MAX_PROVIDERS = 1_000

/** Lists the accounts that the user administers. */
export function TenantList() {
  const t = useText()
  const can = useCan()
  const rowActions = useRowActions<Tenant>(
    ({ name }) => name,
    [
      {
        label: t('Administrators…'),
        icon: Users,
        operation: 'listTenantAdmins',
        dialog: ({ tenantId, name }, onClose) => (
          <TenantAdministratorsDialog tenantId={tenantId} name={name} onClose={onClose} />
        ),
      },
      {
        label: t('Rename…'),
        icon: Pencil,
        operation: 'updateTenant',
        dialog: (tenant, onClose) => <RenameTenantDialog tenant={tenant} onClose={onClose} />,
      },
      {
        label: t('Delete…'),
        icon: Trash2,
        kind: 'danger',
        operation: 'deleteTenant',
        dialog: ({ tenantId, name }, onClose) => (
          <ConfirmDialog
            operation="deleteTenant"
            params={{ path: { tenantId } }}
            invalidates={['listTenants']}
            title={t('Delete account?')}
            description={t('An account with workspaces cannot be deleted. Its administrators keep their memberships.')}
            name={name}
            label={t('Delete account')}
            successMessage={t('Account deleted')}
            onClose={onClose}
          />
        ),
      },
    ],
  )
  return (
    <ListScreen
      title={t('Accounts')}
      createAction={{
        label: t('New account'),
        isAllowed: can('createTenant'),
        dialog: (onClose) => <NewTenantDialog onClose={onClose} />,
      }}
      pages={usePages('listTenants', {})}
      columns={useColumns()}
      rowActions={rowActions}
      getRowKey={({ tenantId }) => tenantId}
      emptyState={{
        icon: Building,
        title: t('No accounts yet'),
        children: t('An account is a customer with its own workspaces, people and brand.'),
      }}
    />
  )
}

function useColumns(): readonly Column<Tenant>[] {
  const t = useText()
  return [
    { key: 'name', title: t('Name'), cell: ({ name }) => <span className="line-clamp-2 font-medium">{name}</span> },
    {
      key: 'path',
      title: t('Path'),
      visibleFrom: 'sm',
      width: 'w-56',
      cell: ({ accountPath }) => (
        <span className="block truncate" title={accountPath}>
          {accountPath}
        </span>
      ),
    },
    {
      key: 'id',
      title: t('ID'),
      visibleFrom: 'xl',
      width: 'w-80',
      cell: ({ tenantId }) => <CopyText text={tenantId} />,
    },
    buildTimeColumn(t('Created'), ({ createdAt }) => createdAt),
  ]
}

/** Creates an account without workspaces or administrators. */
function NewTenantDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const [owner, setOwner] = useState(EMPTY_OWNER)
  const [providerId, setProviderId] = useState<string | null>(null)
  const providers = useRead('listProviders', { query: { limit: MAX_PROVIDERS } })
  const choices = (providers.data ?? []).map(({ providerId: id, name: label, slug: hint }) => ({ id, label, hint }))
  return (
    <OperationDialog
      operation="createTenant"
      params={{ body: { ...toOwnerFields(owner), providerId } }}
      invalidates={['listTenants']}
      title={t('New account')}
      submitLabel={t('Create account')}
      canSubmit={owner.name.trim() !== ''}
      successMessage={t('Account created')}
      onClose={onClose}
    >
      <NameAndPathFields value={owner} onChange={setOwner} />
      {choices.length > 1 && (
        <RecordField
          label={t('Provider')}
          name="providerId"
          emptyLabel={t('Default')}
          value={providerId}
          choices={choices}
          onChange={setProviderId}
        />
      )}
    </OperationDialog>
  )
}

function RenameTenantDialog({ tenant, onClose }: { readonly tenant: Tenant; readonly onClose: () => void }) {
  const t = useText()
  const [name, setName] = useState(tenant.name)
  return (
    <OperationDialog
      operation="updateTenant"
      params={{ path: { tenantId: tenant.tenantId }, body: { name } }}
      invalidates={['listTenants', 'getTenant']}
      title={t('Rename account')}
      description={t('The path {path} does not change.', { path: tenant.accountPath })}
      submitLabel={t('Save')}
      canSubmit={name.trim() !== '' && name.trim() !== tenant.name}
      successMessage={t('Account saved')}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} />
    </OperationDialog>
  )
}
