import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

interface DialogProps {
  readonly callId: string
  readonly onClose: () => void
}

/** Asks before a call goes for good. Calls have no name to type; their id is as good. */
export function DeleteCallDialog({ callId, onClose, onDeleted }: DialogProps & { readonly onDeleted: () => void }) {
  const t = useText()
  const remove = useWrite('deleteCall', { refreshes: ['listCalls', 'listCallHistory'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the call?')}
      consequence={t('Its transcript, its recording and everything else that is kept of it go for good.')}
      name={callId}
      label={t('Delete call')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { callId } },
          {
            onSuccess: () => {
              tell(t('The call is deleted.'))
              onDeleted()
            },
          },
        )
      }
    />
  )
}

/** Asks before only the sound of a call goes. */
export function DeleteRecordingDialog({ callId, onClose }: DialogProps) {
  const t = useText()
  const remove = useWrite('deleteCallRecording', { refreshes: ['getCall', 'listCallHistory'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the recording?')}
      consequence={t('The sound of the call goes for good. The call and its transcript stay.')}
      label={t('Delete recording')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { callId } },
          {
            onSuccess: () => {
              tell(t('The recording is deleted.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
