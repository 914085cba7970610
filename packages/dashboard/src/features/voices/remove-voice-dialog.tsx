import type { Voice } from '@parley/contract/voice'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Asks before a voice leaves the catalogue. */
export function RemoveVoiceDialog({
  voice: { voiceId, name },
  onClose,
}: {
  readonly voice: Voice
  readonly onClose: () => void
}) {
  const t = useText()
  const remove = useWrite('deleteVoice', { refreshes: ['listVoices', 'getVoice'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Remove the voice {name}?', { name })}
      consequence={t('It leaves the catalogue. The account at its provider keeps it, and you can add it again.')}
      label={t('Remove voice')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { voiceId } },
          {
            onSuccess: () => {
              tell(t('The voice is removed.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
