import type { ProviderKey } from '@parley/contract/provider-key'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, PlugZap, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { SelectField } from '../../components/fields.tsx'
import { ListScreen } from '../../components/list-screen.tsx'
import { guardScreen } from '../../components/screen.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { VENDOR_NAMES } from '../../lib/vendor-names.ts'
import { DeleteKeyDialog, NewKeyDialog, ReplaceKeyDialog, TestKeyDialog } from './key-dialogs.tsx'
import { type Owners, useOwners } from './owners.ts'

export const ProviderKeysScreen = guardScreen('listProviderKeys', message('Provider keys'), ProviderKeys)

/** Lists keys for model and voice services. Only the last characters of a stored key are displayed. */
function ProviderKeys() {
  const t = useText()
  const can = useCan()
  const owners = useOwners()
  const { owner } = useSearch({ from: '/signed-in/$workspaceId/provider-keys' })
  const account = owners.defaultIds.account
  const pages = usePages('listProviderKeys', {
    query:
      owner === 'workspace'
        ? {}
        : { workspaceId: undefined, ...(owner === 'account' && account !== null && { tenantId: account }) },
  })
  const [openDialog, setOpenDialog] = useState<KeyDialog | null>(null)
  const closeDialog = (): void => setOpenDialog(null)
  return (
    <ListScreen
      title={t('Provider keys')}
      description={t(
        'API keys for models and voices. Keys are stored encrypted; only the last four characters are shown.',
      )}
      createAction={{
        label: t('Add key'),
        isAllowed: can('createProviderKey'),
        dialog: (onClose) => <NewKeyDialog owners={owners} onClose={onClose} />,
      }}
      filters={owners.choices.account.length > 0 && <OwnerFilter />}
      pages={pages}
      columns={useColumns(owners, setOpenDialog)}
      getRowKey={({ providerKeyId }) => providerKeyId}
      emptyState={{
        icon: KeyRound,
        title: t('No provider keys yet'),
        children: t('A workspace without its own key uses the key of its account, its provider or the server.'),
      }}
    >
      {openDialog?.action === 'replace' && <ReplaceKeyDialog providerKey={openDialog.key} onClose={closeDialog} />}
      {openDialog?.action === 'test' && <TestKeyDialog providerKey={openDialog.key} onClose={closeDialog} />}
      {openDialog?.action === 'delete' && <DeleteKeyDialog providerKey={openDialog.key} onClose={closeDialog} />}
    </ListScreen>
  )
}

interface KeyDialog {
  readonly action: 'test' | 'replace' | 'delete'
  readonly key: ProviderKey
}

/** Filters keys by owner. The URL stores the selection. */
function OwnerFilter() {
  const t = useText()
  const { owner } = useSearch({ from: '/signed-in/$workspaceId/provider-keys' })
  const navigate = useNavigate({ from: '/$workspaceId/provider-keys' })
  return (
    <SelectField
      className="max-w-xs"
      label={t('Key owner')}
      value={owner ?? 'all'}
      choices={[
        { value: 'all', label: t('All') },
        { value: 'workspace', label: t('This workspace') },
        { value: 'account', label: t('This account') },
      ]}
      onChange={(selected) => void navigate({ search: selected === 'all' ? {} : { owner: selected } })}
    />
  )
}

function useColumns(owners: Owners, onSelect: (dialog: KeyDialog) => void): readonly Column<ProviderKey>[] {
  const t = useText()
  const can = useCan()
  return [
    {
      key: 'service',
      title: t('Service'),
      cell: (key) => (
        <span className="flex min-w-0 flex-col">
          <span className="font-medium">{VENDOR_NAMES[key.service]}</span>
          <span className="line-clamp-2 text-muted lg:hidden" dir="auto">
            {owners.getOwnerName(key)}
          </span>
        </span>
      ),
    },
    {
      key: 'key',
      title: t('API key'),
      width: 'w-28',
      cell: ({ lastFour }) => (
        <code dir="ltr" className="text-xs">
          …{lastFour}
        </code>
      ),
    },
    {
      key: 'owner',
      title: t('Key owner'),
      visibleFrom: 'lg',
      width: 'w-64',
      cell: (key) => <span className="line-clamp-2">{owners.getOwnerName(key)}</span>,
    },
    {
      key: 'url',
      title: t('Base URL'),
      visibleFrom: 'md',
      width: 'w-56',
      cell: ({ baseUrl }) =>
        baseUrl === null ? (
          <span className="text-muted">{t('Default')}</span>
        ) : (
          <span dir="ltr" className="line-clamp-2 break-all">
            {baseUrl}
          </span>
        ),
    },
    buildTimeColumn(t('Added'), ({ createdAt }) => createdAt),
    {
      key: 'actions',
      title: '',
      width: 'w-36',
      align: 'end',
      cell: (key) => {
        const name = VENDOR_NAMES[key.service]
        return (
          <span className="inline-flex">
            {can('testProviderKey') && (
              <IconButton
                icon={PlugZap}
                label={t('Test {name} key…', { name })}
                onClick={() => onSelect({ action: 'test', key })}
              />
            )}
            {can('updateProviderKey') && (
              <IconButton
                icon={RefreshCw}
                label={t('Replace {name} key…', { name })}
                onClick={() => onSelect({ action: 'replace', key })}
              />
            )}
            {can('deleteProviderKey') && (
              <IconButton
                icon={Trash2}
                label={t('Delete {name} key…', { name })}
                onClick={() => onSelect({ action: 'delete', key })}
              />
            )}
          </span>
        )
      },
    },
  ]
}
