import type { Provider } from '@parley/contract/provider'
import { Network, Pencil, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import { type Column, DataList } from '../../components/data-list.tsx'
import { EditDialog } from '../../components/editing/draft-fields.tsx'
import { RowMenu } from '../../components/menu.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { useNewButton } from '../../components/screen.tsx'
import { Empty } from '../../components/states.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { notify } from '../../components/toasts.tsx'
import { usePages, useResponse, useWrite } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { ProviderAdministratorsDialog } from './administrators.tsx'
import { EMPTY_OWNER, MarkupPercentField, NameAndPathFields, NameField, ownerFields } from './owner-fields.tsx'

type Action = 'edit' | 'administrators' | 'delete'

/** The providers that the person administers: resellers with accounts of their own. */
export function ProviderList() {
  const t = useText()
  const can = useCan()
  const pages = usePages('listProviders', {})
  const creating = useNewButton(t('New provider'), can('createProvider'))
  const [chosen, setChosen] = useState<{ readonly action: Action; readonly provider: Provider } | null>(null)
  const close = (): void => setChosen(null)
  return (
    <div className="flex flex-col gap-4">
      {creating.button && <div className="flex justify-end">{creating.button}</div>}
      <DataList
        label={t('Providers')}
        pages={pages}
        columns={useColumns((action, provider) => setChosen({ action, provider }))}
        rowKey={({ providerId }) => providerId}
        empty={
          <Empty icon={Network} title={t('No provider yet')} action={creating.button}>
            {t('A provider is a reseller with its own accounts, brand, keys and markup.')}
          </Empty>
        }
      />
      {creating.isOpen && <NewProviderDialog onClose={creating.close} />}
      {chosen?.action === 'edit' && <EditProviderDialog providerId={chosen.provider.providerId} onClose={close} />}
      {chosen?.action === 'delete' && (
        <ConfirmDialog
          operation="deleteProvider"
          parts={{ path: { providerId: chosen.provider.providerId } }}
          refreshes={['listProviders']}
          title={t('Delete provider?')}
          consequence={t('This also deletes its keys and brand. A provider with accounts cannot be deleted.')}
          name={chosen.provider.name}
          label={t('Delete provider')}
          success={t('Provider deleted')}
          onClose={close}
        />
      )}
      {chosen?.action === 'administrators' && (
        <ProviderAdministratorsDialog
          providerId={chosen.provider.providerId}
          name={chosen.provider.name}
          onClose={close}
        />
      )}
    </div>
  )
}

function useColumns(onAction: (action: Action, provider: Provider) => void): readonly Column<Provider>[] {
  const t = useText()
  const can = useCan()
  const formats = useFormats()
  return [
    { key: 'name', title: t('Name'), cell: ({ name }) => <span className="line-clamp-2 font-medium">{name}</span> },
    {
      key: 'slug',
      title: t('Path'),
      from: 'sm',
      width: 'w-40',
      cell: ({ slug }) => <span className="block truncate">/{slug}</span>,
    },
    {
      key: 'markup',
      title: t('Markup'),
      width: 'w-24',
      align: 'end',
      cell: ({ markupPercent }) => `${formats.number(markupPercent, 2)} %`,
    },
    {
      key: 'edited',
      title: t('Edited'),
      from: 'md',
      width: 'w-36',
      cell: ({ updatedAt: at }) => <RelativeTime at={at} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (provider) => {
        const act = (action: Action) => (): void => onAction(action, provider)
        return (
          <RowMenu
            name={provider.name}
            items={[
              can('listProviderAdmins') && {
                label: t('Administrators …'),
                icon: Users,
                onSelect: act('administrators'),
              },
              can('updateProvider') && { label: t('Edit …'), icon: Pencil, onSelect: act('edit') },
              can('deleteProvider') && { label: t('Delete …'), icon: Trash2, kind: 'danger', onSelect: act('delete') },
            ]}
          />
        )
      },
    },
  ]
}

/** Creates a provider without accounts and administrators. */
function NewProviderDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const [owner, setOwner] = useState(EMPTY_OWNER)
  const [markupPercent, setMarkupPercent] = useState<number | null>(null)
  return (
    <OperationDialog
      operation="createProvider"
      parts={{ body: { ...ownerFields(owner), markupPercent } }}
      refreshes={['listProviders']}
      title={t('New provider')}
      submitLabel={t('Create provider')}
      canSubmit={owner.name.trim() !== ''}
      success={t('Provider created')}
      onClose={onClose}
    >
      <NameAndPathFields value={owner} onChange={setOwner} />
      <MarkupPercentField value={markupPercent} onChange={setMarkupPercent} />
    </OperationDialog>
  )
}

function EditProviderDialog({ providerId, onClose }: { readonly providerId: string; readonly onClose: () => void }) {
  const t = useText()
  const update = useWrite('updateProvider', { refreshes: ['listProviders', 'getProvider'] })
  return (
    <EditDialog
      title={t('Edit provider')}
      draftKey={`provider.${providerId}`}
      record={useResponse('getProvider', { path: { providerId } })}
      write={async (body, ifMatch) => {
        const { value, etag } = await update.mutateAsync({ path: { providerId }, body, ifMatch })
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
