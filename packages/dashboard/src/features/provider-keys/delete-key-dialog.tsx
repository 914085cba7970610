import type { ProviderKey } from '@parley/contract/provider-key'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { SERVICE_NAMES } from './services.ts'

/** Asks before a stored key goes. */
export function DeleteKeyDialog({
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
