import type { ProviderKey } from '@parley/contract/provider-key'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { BaseUrlField, KeyField } from './key-fields.tsx'
import { SERVICE_NAMES } from './services.ts'

/** Puts another key or address in the place of the stored one. */
export function ReplaceKeyDialog({
  providerKey: { providerKeyId, service, lastFour, baseUrl: storedUrl },
  onClose,
}: {
  readonly providerKey: ProviderKey
  readonly onClose: () => void
}) {
  const t = useText()
  const [apiKey, setApiKey] = useState('')
  const [baseUrl, setBaseUrl] = useState(storedUrl ?? '')
  const update = useWrite('updateProviderKey', { refreshes: ['listProviderKeys', 'listVoices'] })
  const newUrl = baseUrl.trim() === '' ? null : baseUrl.trim()
  const changes = {
    ...(apiKey.trim() !== '' && { apiKey: apiKey.trim() }),
    ...(newUrl !== storedUrl && { baseUrl: newUrl }),
  }
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Replace the key of {name}', { name: SERVICE_NAMES[service] })}
      description={t(
        'The stored key ends with {lastFour}. Leave the key empty to keep it; an address on another server needs the key again.',
        { lastFour },
      )}
      submitLabel={t('Save')}
      isBusy={update.isPending}
      canSubmit={Object.keys(changes).length > 0}
      problem={update.error}
      onSubmit={() =>
        update.mutate(
          { path: { providerKeyId }, body: changes },
          {
            onSuccess: () => {
              tell(t('The key is replaced.'))
              onClose()
            },
          },
        )
      }
    >
      <FieldProblems details={update.error?.details ?? []}>
        <KeyField isOptional value={apiKey} onChange={setApiKey} />
        <BaseUrlField value={baseUrl} onChange={setBaseUrl} />
      </FieldProblems>
    </FormDialog>
  )
}
