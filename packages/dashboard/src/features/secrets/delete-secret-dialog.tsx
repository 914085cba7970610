import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Asks before a secret is deleted. */
export function DeleteSecretDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
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
