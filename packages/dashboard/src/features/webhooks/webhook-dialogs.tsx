import type { Webhook } from '@parley/contract/webhook'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import { useState } from 'react'
import { EditDialog } from '../../components/editing/draft-fields.tsx'
import { useFieldProblem } from '../../components/field.tsx'
import { CheckField, SwitchField, TextField } from '../../components/fields.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { notifyWithWarnings } from '../../components/toasts.tsx'
import { useResponse, useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { EVENT_GROUPS, EVENTS } from './delivery-search.ts'
import { EVENT_LABELS, GROUP_LABELS } from './event-labels.ts'

/** The editable fields of a webhook. */
type WebhookSettings = Pick<Webhook, 'url' | 'events' | 'description' | 'enabled'>

const NEW_WEBHOOK: WebhookSettings = {
  url: '',
  events: [...EVENT_GROUPS.calls, ...EVENT_GROUPS.chats],
  description: '',
  enabled: true,
}

export function NewWebhookDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const [value, setValue] = useState(NEW_WEBHOOK)
  const url = value.url.trim()
  return (
    <OperationDialog
      operation="createWebhook"
      params={{ body: { ...value, url } }}
      invalidates={['listWebhooks']}
      title={t('New webhook')}
      submitLabel={t('Create webhook')}
      canSubmit={url !== '' && value.events.length > 0}
      successMessage={t('Webhook created')}
      onClose={onClose}
    >
      <WebhookFields value={value} onChange={(changes) => setValue((current) => ({ ...current, ...changes }))} />
    </OperationDialog>
  )
}

export function EditWebhookDialog({
  webhookId,
  onClose,
}: {
  readonly webhookId: string
  readonly onClose: () => void
}) {
  const t = useText()
  const updateWebhook = useWrite('updateWebhook', { invalidates: ['listWebhooks', 'getWebhook'] })
  return (
    <EditDialog
      title={t('Edit webhook')}
      draftKey={`webhook.${webhookId}`}
      record={useResponse('getWebhook', { path: { webhookId } })}
      write={async (body, ifMatch) => {
        const { value, etag } = await updateWebhook.mutateAsync({ path: { webhookId }, body, ifMatch })
        const { warnings, ...webhook } = value
        notifyWithWarnings(t('Webhook saved'), warnings)
        return { value: webhook, etag }
      }}
      canSave={({ events }) => events.length > 0}
      onClose={onClose}
    >
      {({ value, set }) => <WebhookFields value={value} onChange={set} />}
    </EditDialog>
  )
}

interface WebhookFieldsProps {
  readonly value: WebhookSettings
  readonly onChange: (changes: Partial<WebhookSettings>) => void
}

function WebhookFields({ value, onChange }: WebhookFieldsProps) {
  const t = useText()
  return (
    <>
      <TextField
        label={t('URL')}
        help={t('Receives events by POST, for example https://example.com/hooks.')}
        name="url"
        type="url"
        autoComplete="off"
        spellCheck={false}
        value={value.url}
        onChange={(url) => onChange({ url })}
      />
      <TextField
        label={t('Description')}
        name="description"
        isOptional
        value={value.description}
        onChange={(description) => onChange({ description })}
      />
      <EventChecks value={value.events} onChange={(events) => onChange({ events })} />
      <SwitchField
        label={t('Enabled')}
        help={t('Events that occur while the webhook is disabled are not delivered later.')}
        value={value.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </>
  )
}

function EventChecks({
  value,
  onChange,
}: {
  readonly value: readonly WebhookEventName[]
  readonly onChange: (events: WebhookEventName[]) => void
}) {
  const t = useText()
  const problem = useFieldProblem('events')
  const setEvent = (event: WebhookEventName, isSelected: boolean): void =>
    onChange(EVENTS.filter((item) => (item === event ? isSelected : value.includes(item))))
  const groups = Object.entries(EVENT_GROUPS) as [keyof typeof EVENT_GROUPS, readonly WebhookEventName[]][]
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {groups.map(([group, events]) => (
        <fieldset key={group} className="min-w-0">
          <legend className="pb-0.5 font-medium">{t(GROUP_LABELS[group])}</legend>
          {events.map((event) => (
            <CheckField
              key={event}
              label={
                <>
                  <code className="me-1.5 text-xs">{event}</code>{' '}
                  <span className="text-muted">{t(EVENT_LABELS[event])}</span>
                </>
              }
              value={value.includes(event)}
              onChange={(isSelected) => setEvent(event, isSelected)}
            />
          ))}
        </fieldset>
      ))}
      {problem && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}
