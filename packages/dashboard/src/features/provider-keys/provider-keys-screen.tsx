import type { ProviderKey } from '@parley/contract/provider-key'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Plus, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { DeleteDialog } from '../../components/dialog.tsx'
import { SelectField } from '../../components/fields.tsx'
import { Ago } from '../../components/moment.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Forbidden } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { usePages, useWrite } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { type Owners, useOwners } from './owners.ts'
import { ReplaceKeyDialog } from './replace-key-dialog.tsx'
import { SERVICE_NAMES } from './services.ts'

/** Keys to services outside. What was stored is never shown again, only its last characters. */
export function ProviderKeysScreen() {
  const t = useText()
  const may = useMay()
  if (may('listProviderKeys')) return <ProviderKeys />
  return (
    <Page title={t('Provider keys')}>
      <Forbidden />
    </Page>
  )
}

function ProviderKeys() {
  const t = useText()
  const may = useMay()
  const owners = useOwners()
  const { of } = useSearch({ from: '/signed-in/$workspaceId/provider-keys' })
  const account = owners.current.account
  const pages = usePages('listProviderKeys', {
    query:
      of === 'workspace'
        ? {}
        : { workspaceId: undefined, ...(of === 'account' && account !== null && { tenantId: account }) },
  })
  const [isAdding, setIsAdding] = useState(false)
  const [replaced, setReplaced] = useState<ProviderKey | null>(null)
  const [deleted, setDeleted] = useState<ProviderKey | null>(null)
  const mayAdd = may('createProviderKey')
  const columns = useColumns({ owners, onReplace: setReplaced, onDelete: setDeleted })
  useHotkeys(mayAdd ? { n: () => setIsAdding(true) } : {})

  const addButton = (
    <Button kind="primary" icon={Plus} onClick={() => setIsAdding(true)}>
      {t('Add key')}
    </Button>
  )
  return (
    <Page
      title={t('Provider keys')}
      description={t(
        'Keys to the services that serve models and voices. A stored key is encrypted and never shown again, only its last four characters.',
      )}
      actions={mayAdd && addButton}
    >
      {owners.choices.account.length > 0 && <OwnerChoice />}
      <DataList
        label={t('Provider keys')}
        pages={pages}
        columns={columns}
        rowKey={({ providerKeyId }) => providerKeyId}
        empty={
          <Empty icon={KeyRound} title={t('No key here')} action={mayAdd && addButton}>
            {t('Without a key of its own a workspace uses that of its account, its provider or the server.')}
          </Empty>
        }
      />
      {isAdding && <NewKeyDialog owners={owners} onClose={() => setIsAdding(false)} />}
      {replaced && <ReplaceKeyDialog providerKey={replaced} onClose={() => setReplaced(null)} />}
      {deleted && <DeleteKeyDialog providerKey={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

/** Whose keys are shown, as the address says. */
function OwnerChoice() {
  const t = useText()
  const { of } = useSearch({ from: '/signed-in/$workspaceId/provider-keys' })
  const navigate = useNavigate({ from: '/$workspaceId/provider-keys' })
  return (
    <SelectField
      className="max-w-xs"
      label={t('Keys of')}
      value={of ?? 'all'}
      choices={[
        { value: 'all', label: t('Everything that you look after') },
        { value: 'workspace', label: t('This workspace only') },
        { value: 'account', label: t('Its account only') },
      ]}
      onChange={(chosen) => void navigate({ search: chosen === 'all' ? {} : { of: chosen } })}
    />
  )
}

interface ColumnsProps extends KeyActionsProps {
  readonly owners: Owners
}

function useColumns({ owners, onReplace, onDelete }: ColumnsProps): readonly Column<ProviderKey>[] {
  const t = useText()
  return [
    {
      key: 'service',
      title: t('Service'),
      cell: (key) => <ServiceOfKey providerKey={key} owners={owners} />,
    },
    {
      key: 'key',
      title: t('Key'),
      width: 'w-28',
      cell: ({ lastFour }) => (
        <code dir="ltr" className="text-xs">
          …{lastFour}
        </code>
      ),
    },
    {
      key: 'owner',
      title: t('For'),
      from: 'lg',
      width: 'w-64',
      cell: (key) => <span className="line-clamp-2">{owners.nameOf(key)}</span>,
    },
    {
      key: 'address',
      title: t('Address'),
      from: 'md',
      width: 'w-56',
      cell: ({ baseUrl }) =>
        baseUrl === null ? (
          <span className="text-muted">{t('The service itself')}</span>
        ) : (
          <span dir="ltr" className="line-clamp-2 break-all">
            {baseUrl}
          </span>
        ),
    },
    { key: 'added', title: t('Added'), from: 'md', width: 'w-36', cell: ({ createdAt: at }) => <Ago at={at} /> },
    {
      key: 'actions',
      title: '',
      width: 'w-28',
      align: 'end',
      cell: (key) => <KeyActions providerKey={key} onReplace={onReplace} onDelete={onDelete} />,
    },
  ]
}

function ServiceOfKey({ providerKey, owners }: { readonly providerKey: ProviderKey; readonly owners: Owners }) {
  return (
    <span className="flex min-w-0 flex-col">
      <span className="font-medium">{SERVICE_NAMES[providerKey.service]}</span>
      <span className="line-clamp-2 text-muted lg:hidden" dir="auto">
        {owners.nameOf(providerKey)}
      </span>
    </span>
  )
}

interface KeyActionsProps {
  readonly onReplace: (key: ProviderKey) => void
  readonly onDelete: (key: ProviderKey) => void
}

function KeyActions({ providerKey, onReplace, onDelete }: KeyActionsProps & { readonly providerKey: ProviderKey }) {
  const t = useText()
  const may = useMay()
  const name = SERVICE_NAMES[providerKey.service]
  return (
    <span className="inline-flex">
      {may('updateProviderKey') && (
        <IconButton
          icon={RefreshCw}
          label={t('Replace the key of {name} …', { name })}
          onClick={() => onReplace(providerKey)}
        />
      )}
      {may('deleteProviderKey') && (
        <IconButton
          icon={Trash2}
          label={t('Delete the key of {name} …', { name })}
          onClick={() => onDelete(providerKey)}
        />
      )}
    </span>
  )
}

/** Asks before a stored key goes. */
function DeleteKeyDialog({
  providerKey: { providerKeyId, service },
  onClose,
}: {
  readonly providerKey: ProviderKey
  readonly onClose: () => void
}) {
  const t = useText()
  const remove = useWrite('deleteProviderKey', { refreshes: ['listProviderKeys', 'listVoices'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the key of {name}?', { name: SERVICE_NAMES[service] })}
      consequence={t('It goes for good. Workspaces that used it go on with the next one that they inherit, if any.')}
      label={t('Delete key')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { providerKeyId } },
          {
            onSuccess: () => {
              tell(t('The key is deleted.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
