import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Asks before somebody is hung up on. */
export function EndCallDialog({ callId, onClose }: { readonly callId: string; readonly onClose: () => void }) {
  const t = useText()
  const end = useWrite('endCall', { refreshes: ['listCalls', 'listCallHistory', 'getCall'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('End the call?')}
      consequence={t('The caller is hung up on at once, in the middle of what is being said.')}
      label={t('End call')}
      isBusy={end.isPending}
      problem={end.error}
      onDelete={() =>
        end.mutate(
          { path: { callId } },
          {
            onSuccess: () => {
              tell(t('The call ends.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
