import type { PhoneNumber } from '@parley/contract/phone-number'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Asks before a number goes with its bindings. */
export function DeleteNumberDialog({
  number: { number },
  onClose,
  onDeleted,
}: {
  readonly number: Pick<PhoneNumber, 'number'>
  readonly onClose: () => void
  readonly onDeleted?: () => void
}) {
  const t = useText()
  const remove = useWrite('deleteNumber', { refreshes: ['listNumbers'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the number?')}
      consequence={t('Its agents and hours go for good. The number itself stays with its carrier.')}
      name={number}
      label={t('Delete number')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { number } },
          {
            onSuccess: () => {
              tell(t('The number is deleted.'))
              onClose()
              onDeleted?.()
            },
          },
        )
      }
    />
  )
}
