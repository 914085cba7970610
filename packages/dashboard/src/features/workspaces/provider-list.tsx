import type { Provider } from '@parley/contract/provider'
import { Network, Pencil, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import type { Column } from '../../components/data-list.tsx'
import { EditDialog } from '../../components/editing/draft-fields.tsx'
import { ListScreen, useRowActions } from '../../components/list-screen.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import { notify } from '../../components/toasts.tsx'
import { usePages, useResponse, useWrite } from '../../lib/api/hooks.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { ProviderAdministratorsDialog } from './administrators.tsx'
import { EMPTY_OWNER, MarkupPercentField, NameAndPathFields, NameField, toOwnerFields } from './owner-fields.tsx'

/** Lists the providers (resellers) that the user administers. */
export function ProviderList() {
  const t = useText()
  const can = useCan()
  const rowActions = useRowActions<Provider>(
    ({ name }) => name,
    [
      {
        label: t('Administrators…'),
        icon: Users,
        operation: 'listProviderAdmins',
        dialog: ({ providerId, name }, onClose) => (
          <ProviderAdministratorsDialog providerId={providerId} name={name} onClose={onClose} />
        ),
      },
      {
        label: t('Edit…'),
        icon: Pencil,
        operation: 'updateProvider',
        dialog: ({ providerId }, onClose) => <EditProviderDialog providerId={providerId} onClose={onClose} />,
      },
      {
        label: t('Delete…'),
        icon: Trash2,
        kind: 'danger',
        operation: 'deleteProvider',
        dialog: ({ providerId, name }, onClose) => (
          <ConfirmDialog
            operation="deleteProvider"
            params={{ path: { providerId } }}
            invalidates={['listProviders']}
            title={t('Delete provider?')}
            description={t(
              'This also deletes the provider’s keys and brand. A provider with accounts cannot be deleted.',
            )}
            name={name}
            label={t('Delete provider')}
            successMessage={t('Provider deleted')}
            onClose={onClose}
          />
        ),
      },
    ],
  )
  return (
    <ListScreen
      title={t('Providers')}
      createAction={{
        label: t('New provider'),
        isAllowed: can('createProvider'),
        dialog: (onClose) => <NewProviderDialog onClose={onClose} />,
      }}
      pages={usePages('listProviders', {})}
      columns={useColumns()}
      rowActions={rowActions}
      getRowKey={({ providerId }) => providerId}
      emptyState={{
        icon: Network,
        title: t('No providers yet'),
        children: t('A provider is a reseller with its own accounts, brand, keys and markup.'),
      }}
    />
  )
}

function useColumns(): readonly Column<Provider>[] {
  const t = useText()
  const format = useFormatter()
  return [
    { key: 'name', title: t('Name'), cell: ({ name }) => <span className="line-clamp-2 font-medium">{name}</span> },
    {
      key: 'slug',
      title: t('Path'),
      visibleFrom: 'sm',
      width: 'w-40',
      cell: ({ slug }) => <span className="block truncate">/{slug}</span>,
    },
    {
      key: 'markup',
      title: t('Markup'),
      width: 'w-24',
      align: 'end',
      cell: ({ markupPercent }) => `${format.number(markupPercent, 2)} %`,
    },
    buildTimeColumn(t('Edited'), ({ updatedAt }) => updatedAt),
  ]
}

/** Creates a provider without accounts or administrators. */
function NewProviderDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const [owner, setOwner] = useState(EMPTY_OWNER)
  const [markupPercent, setMarkupPercent] = useState<number | null>(null)
  return (
    <OperationDialog
      operation="createProvider"
      params={{ body: { ...toOwnerFields(owner), markupPercent } }}
      invalidates={['listProviders']}
      title={t('New provider')}
      submitLabel={t('Create provider')}
      canSubmit={owner.name.trim() !== ''}
      successMessage={t('Provider created')}
      onClose={onClose}
    >
      <NameAndPathFields value={owner} onChange={setOwner} />
      <MarkupPercentField value={markupPercent} onChange={setMarkupPercent} />
    </OperationDialog>
  )
}

function EditProviderDialog({ providerId, onClose }: { readonly providerId: string; readonly onClose: () => void }) {
  const t = useText()
  const updateProvider = useWrite('updateProvider', { invalidates: ['listProviders', 'getProvider'] })
  return (
    <EditDialog
      title={t('Edit provider')}
      draftKey={`provider.${providerId}`}
      record={useResponse('getProvider', { path: { providerId } })}
      write={async (body, ifMatch) => {
        const { value, etag } = await updateProvider.mutateAsync({ path: { providerId }, body, ifMatch })
        notify(t('Provider saved'))
        return { value, etag }
      }}
      canSave={({ name }) => name.trim() !== ''}
      onClose={onClose}
    >
      {({ value, set }) => (
        <>
          <NameField value={value.name} onChange={(name) => set({ name })} />
          <MarkupPercentField
            value={value.markupPercent}
            onChange={(percent) => set({ markupPercent: percent ?? 0 })}
          />
        </>
      )}
    </EditDialog>
  )
}
