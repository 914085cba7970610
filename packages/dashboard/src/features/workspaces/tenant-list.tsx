import type { Tenant } from '@parley/contract/tenant'
import { Building, Pencil, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import { CopyText } from '../../components/copy-button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { RowMenu } from '../../components/menu.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { useNewButton } from '../../components/screen.tsx'
import { Empty } from '../../components/states.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { usePages, useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { TenantAdministratorsDialog } from './administrators.tsx'
import { EMPTY_OWNER, NameAndPathFields, NameField, ownerFields } from './owner-fields.tsx'

const MAX_PROVIDERS = 1_000

type Action = 'edit' | 'administrators' | 'delete'

/** The accounts that the person administers. */
export function TenantList() {
  const t = useText()
  const can = useCan()
  const pages = usePages('listTenants', {})
  const creating = useNewButton(t('New account'), can('createTenant'))
  const [chosen, setChosen] = useState<{ readonly action: Action; readonly tenant: Tenant } | null>(null)
  const close = (): void => setChosen(null)
  return (
    <div className="flex flex-col gap-4">
      {creating.button && <div className="flex justify-end">{creating.button}</div>}
      <DataList
        label={t('Accounts')}
        pages={pages}
        columns={useColumns((action, tenant) => setChosen({ action, tenant }))}
        rowKey={({ tenantId }) => tenantId}
        empty={
          <Empty icon={Building} title={t('No account yet')} action={creating.button}>
            {t('An account is a customer with its own workspaces, people and brand.')}
          </Empty>
        }
      />
      {creating.isOpen && <NewTenantDialog onClose={creating.close} />}
      {chosen?.action === 'edit' && <RenameTenantDialog tenant={chosen.tenant} onClose={close} />}
      {chosen?.action === 'delete' && (
        <ConfirmDialog
          operation="deleteTenant"
          parts={{ path: { tenantId: chosen.tenant.tenantId } }}
          refreshes={['listTenants']}
          title={t('Delete account?')}
          consequence={t('An account with workspaces cannot be deleted. Its administrators keep their memberships.')}
          name={chosen.tenant.name}
          label={t('Delete account')}
          success={t('Account deleted')}
          onClose={close}
        />
      )}
      {chosen?.action === 'administrators' && (
        <TenantAdministratorsDialog tenantId={chosen.tenant.tenantId} name={chosen.tenant.name} onClose={close} />
      )}
    </div>
  )
}

function useColumns(onAction: (action: Action, tenant: Tenant) => void): readonly Column<Tenant>[] {
  const t = useText()
  const can = useCan()
  return [
    { key: 'name', title: t('Name'), cell: ({ name }) => <span className="line-clamp-2 font-medium">{name}</span> },
    {
      key: 'path',
      title: t('Path'),
      from: 'sm',
      width: 'w-56',
      cell: ({ accountPath }) => (
        <span className="block truncate" title={accountPath}>
          {accountPath}
        </span>
      ),
    },
    { key: 'id', title: t('ID'), from: 'xl', width: 'w-80', cell: ({ tenantId }) => <CopyText text={tenantId} /> },
    {
      key: 'created',
      title: t('Created'),
      from: 'md',
      width: 'w-36',
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (tenant) => {
        const act = (action: Action) => (): void => onAction(action, tenant)
        return (
          <RowMenu
            name={tenant.name}
            items={[
              can('listTenantAdmins') && { label: t('Administrators …'), icon: Users, onSelect: act('administrators') },
              can('updateTenant') && { label: t('Rename …'), icon: Pencil, onSelect: act('edit') },
              can('deleteTenant') && { label: t('Delete …'), icon: Trash2, kind: 'danger', onSelect: act('delete') },
            ]}
          />
        )
      },
    },
  ]
}

/** Creates an account without workspaces and administrators. */
function NewTenantDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const [owner, setOwner] = useState(EMPTY_OWNER)
  const [providerId, setProviderId] = useState<string | null>(null)
  const providers = useRead('listProviders', { query: { limit: MAX_PROVIDERS } })
  const choices = (providers.data ?? []).map((one) => ({ id: one.providerId, label: one.name, hint: one.slug }))
  return (
    <OperationDialog
      operation="createTenant"
      parts={{ body: { ...ownerFields(owner), providerId } }}
      refreshes={['listTenants']}
      title={t('New account')}
      submitLabel={t('Create account')}
      canSubmit={owner.name.trim() !== ''}
      success={t('Account created')}
      onClose={onClose}
    >
      <NameAndPathFields value={owner} onChange={setOwner} />
      {choices.length > 1 && (
        <RecordField
          label={t('Provider')}
          name="providerId"
          noneLabel={t('Default')}
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
      parts={{ path: { tenantId: tenant.tenantId }, body: { name } }}
      refreshes={['listTenants', 'getTenant']}
      title={t('Rename account')}
      description={t('The path {path} does not change.', { path: tenant.accountPath })}
      submitLabel={t('Save')}
      canSubmit={name.trim() !== '' && name.trim() !== tenant.name}
      success={t('Account saved')}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} />
    </OperationDialog>
  )
}
