import type { Provider } from '@parley/contract/provider'
import { Network, Pencil, Trash2, Users } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { DraftDialog } from '../../components/editing/draft-fields.tsx'
import { RowMenu } from '../../components/menu.tsx'
import { Ago } from '../../components/moment.tsx'
import { DeleteOperationDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { useNewButton } from '../../components/screen.tsx'
import { Empty, Reading } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useAnswer, usePages, useWrite } from '../../lib/api/hooks.ts'
import { type Answer, request } from '../../lib/api/request.ts'
import { useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { useSaving } from '../../lib/editing/save.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { ProviderAdministratorsDialog } from './administrators.tsx'
import { EMPTY_OWNER, MarkupField, NameAndPathFields, NameField, ownerFields } from './owner-fields.tsx'

type Action = 'edit' | 'administrators' | 'delete'

/** The providers that the person administers: resellers with accounts of their own. */
export function ProviderList() {
  const t = useText()
  const may = useMay()
  const pages = usePages('listProviders', {})
  const creating = useNewButton(t('New provider'), may('createProvider'))
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
        <DeleteOperationDialog
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
  const may = useMay()
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
    { key: 'edited', title: t('Edited'), from: 'md', width: 'w-36', cell: ({ updatedAt: at }) => <Ago at={at} /> },
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
              may('listProviderAdmins') && {
                label: t('Administrators …'),
                icon: Users,
                onSelect: act('administrators'),
              },
              may('updateProvider') && { label: t('Edit …'), icon: Pencil, onSelect: act('edit') },
              may('deleteProvider') && { label: t('Delete …'), icon: Trash2, kind: 'danger', onSelect: act('delete') },
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
      <MarkupField value={markupPercent} onChange={setMarkupPercent} />
    </OperationDialog>
  )
}

function EditProviderDialog({ providerId, onClose }: { readonly providerId: string; readonly onClose: () => void }) {
  const t = useText()
  const answer = useAnswer('getProvider', { path: { providerId } })
  if (answer.data !== undefined) return <ProviderForm answer={answer.data} onClose={onClose} />
  return (
    <Dialog open onOpenChange={onClose} title={t('Edit provider')}>
      <Reading of={answer}>{() => null}</Reading>
    </Dialog>
  )
}

function ProviderForm({ answer, onClose }: { readonly answer: Answer<Provider>; readonly onClose: () => void }) {
  const t = useText()
  const { providerId } = answer.value
  const newest = useMemo<Snapshot<Provider>>(() => ({ value: answer.value, etag: answer.etag }), [answer])
  const draft = useDraft(`provider.${providerId}`, newest)
  const update = useWrite('updateProvider', { refreshes: ['listProviders', 'getProvider'] })
  const saving = useSaving(draft, {
    write: async (body, ifMatch) => {
      const { value, etag } = await update.mutateAsync({ path: { providerId }, body, ifMatch })
      tell(t('Provider saved'))
      return { value, etag }
    },
    read: () => request('getProvider', { path: { providerId } }),
  })
  return (
    <DraftDialog
      title={t('Edit provider')}
      draft={draft}
      saving={saving}
      canSave={draft.value.name.trim() !== ''}
      onClose={onClose}
    >
      <NameField value={draft.value.name} onChange={(name) => draft.set({ name })} />
      <MarkupField
        value={draft.value.markupPercent}
        onChange={(percent) => draft.set({ markupPercent: percent ?? 0 })}
      />
    </DraftDialog>
  )
}
