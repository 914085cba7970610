import type { WorkspaceSecret } from '@parley/contract/workspace-secret'
import { LockKeyhole, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { TextField } from '../../components/fields.tsx'
import { ListScreen } from '../../components/list-screen.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { guardScreen } from '../../components/screen.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { toPages } from '../../lib/api/single-page.ts'
import { message, useText } from '../../lib/language.ts'

export const SecretsScreen = guardScreen('listWorkspaceSecrets', message('Secrets'), Secrets)

/** Lists the workspace's named secrets. Values are never displayed. */
function Secrets() {
  const t = useText()
  const secretsQuery = useRead('listWorkspaceSecrets', {})
  const [replacedName, setReplacedName] = useState<string | null>(null)
  const [deletedName, setDeletedName] = useState<string | null>(null)
  const columns: readonly Column<WorkspaceSecret>[] = [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ name }) => (
        <code dir="ltr" className="break-all">
          {name}
        </code>
      ),
    },
    buildTimeColumn(t('Updated'), ({ updatedAt }) => updatedAt),
    {
      key: 'actions',
      title: '',
      width: 'w-28',
      align: 'end',
      cell: ({ name }) => (
        <span className="inline-flex">
          <IconButton icon={RefreshCw} label={t('Replace {name}…', { name })} onClick={() => setReplacedName(name)} />
          <IconButton icon={Trash2} label={t('Delete {name}…', { name })} onClick={() => setDeletedName(name)} />
        </span>
      ),
    },
  ]
  return (
    <ListScreen
      title={t('Secrets')}
      description={t('Encrypted values for URLs, headers and query parameters of tools and MCP servers.')}
      createAction={{
        label: t('Add secret'),
        isAllowed: true,
        dialog: (onClose) => <SecretDialog name={null} onClose={onClose} />,
      }}
      pages={toPages(secretsQuery, (secrets) => secrets)}
      columns={columns}
      getRowKey={({ name }) => name}
      emptyState={{
        icon: LockKeyhole,
        title: t('No secrets yet'),
        children: t('Use a secret in a tool as {example}.', { example: '{{secrets.name}}' }),
      }}
    >
      {replacedName !== null && <SecretDialog name={replacedName} onClose={() => setReplacedName(null)} />}
      {deletedName !== null && (
        <ConfirmDialog
          operation="deleteWorkspaceSecret"
          params={{ path: { name: deletedName } }}
          invalidates={['listWorkspaceSecrets']}
          title={t('Delete {name}?', { name: deletedName })}
          description={t('Tools that use this secret will fail.')}
          label={t('Delete secret')}
          successMessage={t('Secret deleted')}
          onClose={() => setDeletedName(null)}
        />
      )}
    </ListScreen>
  )
}

/** Stores a new secret, or a new value of an existing secret. If `name` is null, the dialog asks for a name. */
function SecretDialog({ name, onClose }: { readonly name: string | null; readonly onClose: () => void }) {
  const t = useText()
  const [typedName, setTypedName] = useState('')
  const [value, setValue] = useState('')
  const secrets = useRead('listWorkspaceSecrets', {})
  const isNew = name === null
  const newName = typedName.trim()
  const isNameTaken = isNew && secrets.data?.some((secret) => secret.name === newName) === true
  const inputProps = { autoComplete: 'off', spellCheck: false } as const
  return (
    <OperationDialog
      operation="putWorkspaceSecret"
      params={{ path: { name: name ?? newName }, body: { value } }}
      invalidates={['listWorkspaceSecrets']}
      title={isNew ? t('Add secret') : t('Replace the value of {name}', { name })}
      submitLabel={t('Save secret')}
      canSubmit={value !== '' && (!isNew || (newName !== '' && !isNameTaken))}
      successMessage={t('Secret saved')}
      onClose={onClose}
    >
      {isNew && (
        <TextField
          {...inputProps}
          label={t('Name')}
          help={t('Lowercase letters, digits and "_". Use it in tools as {example}.', { example: '{{secrets.name}}' })}
          name="name"
          {...(isNameTaken && { error: t('A secret with this name already exists. Replace its value in the list.') })}
          maxLength={64}
          value={typedName}
          onChange={setTypedName}
        />
      )}
      <TextField
        {...inputProps}
        label={t('Value')}
        help={t('Stored encrypted. You won’t be able to see it again.')}
        name="value"
        type="password"
        value={value}
        onChange={setValue}
      />
    </OperationDialog>
  )
}
