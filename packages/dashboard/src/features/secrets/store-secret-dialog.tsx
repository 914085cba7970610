import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { tell } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Stores a new secret, or another value for one; a `name` of null is asked for. */
export function StoreSecretDialog({ name, onClose }: { readonly name: string | null; readonly onClose: () => void }) {
  const t = useText()
  const [typedName, setTypedName] = useState('')
  const [value, setValue] = useState('')
  const known = useRead('listWorkspaceSecrets', {})
  const store = useWrite('putWorkspaceSecret', { refreshes: ['listWorkspaceSecrets'] })
  const isNew = name === null
  const newName = typedName.trim()
  const isTaken = isNew && known.data?.some((secret) => secret.name === newName) === true
  const details = isTaken
    ? [{ path: 'name', message: t('A secret with this name exists. Replace its value in the list.') }]
    : (store.error?.details ?? [])
  const onSuccess = (): void => {
    tell(t('The secret is stored.'))
    onClose()
  }
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={isNew ? t('Add a secret') : t('Replace the value of {name}', { name })}
      submitLabel={t('Store secret')}
      isBusy={store.isPending}
      canSubmit={value !== '' && (!isNew || (newName !== '' && !isTaken))}
      problem={store.error}
      onSubmit={() => store.mutate({ path: { name: name ?? newName }, body: { value } }, { onSuccess })}
    >
      <FieldProblems details={details}>
        {isNew && (
          <TextField
            label={t('Name')}
            help={t('Lowercase letters, digits and "_". Tools use it as {example}.', { example: '{{secrets.name}}' })}
            name="name"
            autoComplete="off"
            spellCheck={false}
            maxLength={64}
            value={typedName}
            onChange={setTypedName}
          />
        )}
        <TextField
          label={t('Value')}
          help={t('Encrypted and never shown again.')}
          name="value"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={setValue}
        />
      </FieldProblems>
    </FormDialog>
  )
}
