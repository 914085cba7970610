import type { Tenant } from '@parley/contract/tenant'
import { Building, Ellipsis, Pencil, Plus, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Ago } from '../../components/moment.tsx'
import { Empty } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { TenantAdministratorsDialog } from './administrators.tsx'
import { DeleteTenantDialog, EditTenantDialog, NewTenantDialog } from './tenant-dialogs.tsx'

type Action = 'edit' | 'administrators' | 'delete'

/** The accounts that the person administers. */
export function TenantList() {
  const t = useText()
  const may = useMay()
  const pages = usePages('listTenants', {})
  const [isCreating, setIsCreating] = useState(false)
  const [chosen, setChosen] = useState<{ readonly action: Action; readonly tenant: Tenant } | null>(null)
  const close = (): void => setChosen(null)
  const mayCreate = may('createTenant')
  useHotkeys(mayCreate ? { n: () => setIsCreating(true) } : {})
  const newButton = (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New account')}
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      {mayCreate && <div className="flex justify-end">{newButton}</div>}
      <DataList
        label={t('Accounts')}
        pages={pages}
        columns={useColumns((action, tenant) => setChosen({ action, tenant }))}
        rowKey={({ tenantId }) => tenantId}
        empty={
          <Empty icon={Building} title={t('No account yet')} action={mayCreate && newButton}>
            {t('An account is a customer with workspaces, people and a brand.')}
          </Empty>
        }
      />
      {isCreating && <NewTenantDialog onClose={() => setIsCreating(false)} />}
      {chosen?.action === 'edit' && <EditTenantDialog tenant={chosen.tenant} onClose={close} />}
      {chosen?.action === 'delete' && <DeleteTenantDialog tenant={chosen.tenant} onClose={close} />}
      {chosen?.action === 'administrators' && (
        <TenantAdministratorsDialog tenantId={chosen.tenant.tenantId} name={chosen.tenant.name} onClose={close} />
      )}
    </div>
  )
}

function useColumns(onAction: (action: Action, tenant: Tenant) => void): readonly Column<Tenant>[] {
  const t = useText()
  const may = useMay()
  const itemsOf = (tenant: Tenant): readonly MenuItem[] => [
    ...(may('listTenantAdmins')
      ? [{ label: t('Administrators …'), icon: Users, onSelect: () => onAction('administrators', tenant) }]
      : []),
    ...(may('updateTenant') ? [{ label: t('Rename …'), icon: Pencil, onSelect: () => onAction('edit', tenant) }] : []),
    ...(may('deleteTenant')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => onAction('delete', tenant) }]
      : []),
  ]
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
    { key: 'id', title: t('Id'), from: 'xl', width: 'w-80', cell: ({ tenantId }) => <CopyText text={tenantId} /> },
    { key: 'created', title: t('Created'), from: 'md', width: 'w-36', cell: ({ createdAt: at }) => <Ago at={at} /> },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (tenant) => (
        <Menu
          items={itemsOf(tenant)}
          trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: tenant.name })} />}
        />
      ),
    },
  ]
}
