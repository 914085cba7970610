import type { Provider } from '@parley/contract/provider'
import { Ellipsis, Network, Pencil, Plus, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Ago } from '../../components/moment.tsx'
import { Empty } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { ProviderAdministratorsDialog } from './administrators.tsx'
import { EditProviderDialog } from './edit-provider-dialog.tsx'
import { DeleteProviderDialog, NewProviderDialog } from './provider-dialogs.tsx'

type Action = 'edit' | 'administrators' | 'delete'

/** The providers that the person administers: resellers with accounts of their own. */
export function ProviderList() {
  const t = useText()
  const may = useMay()
  const pages = usePages('listProviders', {})
  const [isCreating, setIsCreating] = useState(false)
  const [chosen, setChosen] = useState<{ readonly action: Action; readonly provider: Provider } | null>(null)
  const close = (): void => setChosen(null)
  const mayCreate = may('createProvider')
  useHotkeys(mayCreate ? { n: () => setIsCreating(true) } : {})
  const newButton = (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New provider')}
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      {mayCreate && <div className="flex justify-end">{newButton}</div>}
      <DataList
        label={t('Providers')}
        pages={pages}
        columns={useColumns((action, provider) => setChosen({ action, provider }))}
        rowKey={({ providerId }) => providerId}
        empty={
          <Empty icon={Network} title={t('No provider yet')} action={mayCreate && newButton}>
            {t('A provider is a reseller with accounts, a brand, keys and a markup of its own.')}
          </Empty>
        }
      />
      {isCreating && <NewProviderDialog onClose={() => setIsCreating(false)} />}
      {chosen?.action === 'edit' && <EditProviderDialog providerId={chosen.provider.providerId} onClose={close} />}
      {chosen?.action === 'delete' && <DeleteProviderDialog provider={chosen.provider} onClose={close} />}
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
  const itemsOf = (provider: Provider): readonly MenuItem[] => [
    ...(may('listProviderAdmins')
      ? [{ label: t('Administrators …'), icon: Users, onSelect: () => onAction('administrators', provider) }]
      : []),
    ...(may('updateProvider')
      ? [{ label: t('Edit …'), icon: Pencil, onSelect: () => onAction('edit', provider) }]
      : []),
    ...(may('deleteProvider')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => onAction('delete', provider) }]
      : []),
  ]
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
      cell: (provider) => (
        <Menu
          items={itemsOf(provider)}
          trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: provider.name })} />}
        />
      ),
    },
  ]
}
