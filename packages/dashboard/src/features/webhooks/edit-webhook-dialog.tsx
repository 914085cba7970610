import type { Webhook } from '@parley/contract/webhook'
import { useEffect, useMemo, useState } from 'react'
import { Dialog, FormDialog } from '../../components/dialog.tsx'
import { ConflictDialog } from '../../components/editing/conflict-dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
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
  const [isLeaving, setIsLeaving] = useState(false)
  const saving = useSaving(draft, {
    write: async (body, ifMatch) => {
      const { value, etag } = await update.mutateAsync({ path: { webhookId }, body, ifMatch })
      const { warnings, ...webhook } = value
      tellWithWarnings(t('The webhook is saved.'), warnings)
      return { value: webhook, etag }
    },
    read: () => request('getWebhook', inWorkspace('getWebhook', { path: { webhookId } }, workspaceId)),
  })
  // The draft is forgotten first: edits that were given up must not be there the next time.
  useEffect(() => {
    if (isLeaving && !draft.isEdited) onClose()
  }, [isLeaving, draft.isEdited, onClose])

  if (saving.conflict !== null) {
    return (
      <ConflictDialog
        conflict={saving.conflict}
        edits={draft.edits}
        onResolve={saving.resolve}
        onPostpone={saving.postpone}
      />
    )
  }
  return (
    <FormDialog
      open
      onOpenChange={() => {
        draft.discard()
        setIsLeaving(true)
      }}
      title={t('Edit webhook')}
      submitLabel={t('Save')}
      isBusy={saving.isSaving}
      canSubmit={draft.isEdited && draft.value.events.length > 0}
      problem={saving.problem}
      onSubmit={() => void saving.save().then((isSaved) => setIsLeaving(isSaved))}
    >
      <FieldProblems details={saving.problem?.details ?? []}>
        <WebhookFields value={draft.value} onChange={draft.set} />
      </FieldProblems>
    </FormDialog>
  )
}
