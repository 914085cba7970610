import type { Webhook } from '@parley/contract/webhook'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Asks before an endpoint goes. */
export function DeleteWebhookDialog({
  webhook: { webhookId, url },
  onClose,
}: {
  readonly webhook: Webhook
  readonly onClose: () => void
}) {
  const t = useText()
  const remove = useWrite('deleteWebhook', { refreshes: ['listWebhooks', 'listWebhookDeliveries'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the webhook?')}
      consequence={t('{url} is told nothing more, also not what was waiting. Its deliveries stay on record.', { url })}
      label={t('Delete webhook')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { webhookId } },
          {
            onSuccess: () => {
              tell(t('The webhook is deleted.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
