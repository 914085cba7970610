import type { Webhook } from '@parley/contract/webhook'
import { useMemo } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { DraftDialog } from '../../components/editing/draft-dialog.tsx'
import { Reading } from '../../components/states.tsx'
import { tellWithWarnings } from '../../components/toasts.tsx'
import { inWorkspace, useAnswer, useWrite } from '../../lib/api/hooks.ts'
import { type Answer, request } from '../../lib/api/request.ts'
import { useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { useSaving } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { WebhookFields } from './webhook-fields.tsx'

/** Changes an endpoint, never over what somebody else has changed. */
export function EditWebhookDialog({
  webhookId,
  onClose,
}: {
  readonly webhookId: string
  readonly onClose: () => void
}) {
  const t = useText()
  const answer = useAnswer('getWebhook', { path: { webhookId } })
  if (answer.data !== undefined) return <WebhookForm answer={answer.data} onClose={onClose} />
  return (
    <Dialog open onOpenChange={onClose} title={t('Edit webhook')}>
      <Reading of={answer}>{() => null}</Reading>
    </Dialog>
  )
}

function WebhookForm({ answer, onClose }: { readonly answer: Answer<Webhook>; readonly onClose: () => void }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { webhookId } = answer.value
  const newest = useMemo<Snapshot<Webhook>>(() => ({ value: answer.value, etag: answer.etag }), [answer])
  const draft = useDraft(`webhook.${webhookId}`, newest)
  const update = useWrite('updateWebhook', { refreshes: ['listWebhooks', 'getWebhook'] })
  const saving = useSaving(draft, {
    write: async (body, ifMatch) => {
      const { value, etag } = await update.mutateAsync({ path: { webhookId }, body, ifMatch })
      const { warnings, ...webhook } = value
      tellWithWarnings(t('The webhook is saved.'), warnings)
      return { value: webhook, etag }
    },
    read: () => request('getWebhook', inWorkspace('getWebhook', { path: { webhookId } }, workspaceId)),
  })
  return (
    <DraftDialog
      title={t('Edit webhook')}
      draft={draft}
      saving={saving}
      canSave={draft.value.events.length > 0}
      onClose={onClose}
    >
      <WebhookFields value={draft.value} onChange={draft.set} />
    </DraftDialog>
  )
}
