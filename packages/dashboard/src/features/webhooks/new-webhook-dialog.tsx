import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { tellWithWarnings } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { EVENT_GROUPS } from './delivery-search.ts'
import { WebhookFields, type WebhookSettings } from './webhook-fields.tsx'

const NEW_WEBHOOK: WebhookSettings = {
  url: '',
  events: [...EVENT_GROUPS.calls, ...EVENT_GROUPS.chats],
  description: '',
  enabled: true,
}

/** Names an address that is told what happens from now on. */
export function NewWebhookDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const [value, setValue] = useState(NEW_WEBHOOK)
  const create = useWrite('createWebhook', { refreshes: ['listWebhooks'] })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New webhook')}
      submitLabel={t('Create webhook')}
      isBusy={create.isPending}
      canSubmit={value.url.trim() !== '' && value.events.length > 0}
      problem={create.error}
      onSubmit={() =>
        create.mutate(
          { body: { ...value, url: value.url.trim() } },
          {
            onSuccess: ({ value: { warnings } }) => {
              tellWithWarnings(t('The webhook is created.'), warnings)
              onClose()
            },
          },
        )
      }
    >
      <FieldProblems details={create.error?.details ?? []}>
        <WebhookFields value={value} onChange={(changes) => setValue((current) => ({ ...current, ...changes }))} />
      </FieldProblems>
    </FormDialog>
  )
}
