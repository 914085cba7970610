import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

export interface DeleteFlowDialogProps {
  readonly flowId: string
  readonly name: string
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

/** Asks before a flow goes with all its versions. One that is used stays: the answer tells by whom. */
export function DeleteFlowDialog({ flowId, name, onClose, onDeleted }: DeleteFlowDialogProps) {
  const t = useText()
  const remove = useWrite('deleteConversationFlow', { refreshes: ['listConversationFlows'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the flow?')}
      consequence={t('All its versions go for good. A flow that an agent or a test case uses cannot be deleted.')}
      name={name}
      label={t('Delete flow')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { conversationFlowId: flowId } },
          {
            onSuccess: () => {
              tell(t('The flow is deleted.'))
              onClose()
              onDeleted?.()
            },
          },
        )
      }
    />
  )
}
