import type { WorkspaceSecret } from '@parley/contract/workspace-secret'
import { LockKeyhole, Plus, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { DeleteDialog } from '../../components/dialog.tsx'
import { Ago } from '../../components/moment.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Forbidden } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { StoreSecretDialog } from './store-secret-dialog.tsx'

/** Named secrets of the workspace. Values are never shown. */
export function SecretsScreen() {
  const t = useText()
  const may = useMay()
  if (may('listWorkspaceSecrets')) return <Secrets />
  return (
    <Page title={t('Secrets')}>
      <Forbidden />
    </Page>
  )
}

function Secrets() {
  const t = useText()
  const answer = useRead('listWorkspaceSecrets', {})
  const [stored, setStored] = useState<{ readonly name: string | null } | null>(null)
  const [deleted, setDeleted] = useState<string | null>(null)
  const columns = useColumns({ onReplace: (name) => setStored({ name }), onDelete: setDeleted })
  const add = (): void => setStored({ name: null })
  useHotkeys({ n: add })
  const addButton = (
    <Button kind="primary" icon={Plus} onClick={add}>
      {t('Add secret')}
    </Button>
  )
  return (
    <Page
      title={t('Secrets')}
      description={t(
        'Keys for the addresses, headers and query parameters of tools and MCP servers. Values are encrypted and never shown again.',
      )}
      actions={addButton}
    >
      <DataList
        label={t('Secrets')}
        pages={{
          ...answer,
          rows: answer.data ?? [],
          // The list is answered whole.
          hasNextPage: false,
          isFetchingNextPage: false,
          fetchNextPage: answer.refetch,
          refetch: answer.refetch,
        }}
        columns={columns}
        rowKey={({ name }) => name}
        empty={
          <Empty icon={LockKeyhole} title={t('No secrets yet')} action={addButton}>
            {t('Tools use a secret as {example}.', { example: '{{secrets.name}}' })}
          </Empty>
        }
      />
      {stored && <StoreSecretDialog name={stored.name} onClose={() => setStored(null)} />}
      {deleted !== null && <DeleteSecretDialog name={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

function useColumns({
  onReplace,
  onDelete,
}: {
  readonly onReplace: (name: string) => void
  readonly onDelete: (name: string) => void
}): readonly Column<WorkspaceSecret>[] {
  const t = useText()
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ name }) => (
        <code dir="ltr" className="break-all">
          {name}
        </code>
      ),
    },
    { key: 'updated', title: t('Updated'), from: 'md', width: 'w-40', cell: ({ updatedAt: at }) => <Ago at={at} /> },
    {
      key: 'actions',
      title: '',
      width: 'w-28',
      align: 'end',
      cell: ({ name }) => (
        <span className="inline-flex">
          <IconButton icon={RefreshCw} label={t('Replace {name} …', { name })} onClick={() => onReplace(name)} />
          <IconButton icon={Trash2} label={t('Delete {name} …', { name })} onClick={() => onDelete(name)} />
        </span>
      ),
    },
  ]
}

/** Asks before a secret is deleted. */
function DeleteSecretDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const t = useText()
  const remove = useWrite('deleteWorkspaceSecret', { refreshes: ['listWorkspaceSecrets'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete {name}?', { name })}
      consequence={t('Calls of the tools that use this secret fail from now on.')}
      label={t('Delete secret')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { name } },
          {
            onSuccess: () => {
              tell(t('The secret is deleted.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
