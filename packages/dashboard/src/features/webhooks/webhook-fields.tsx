import type { Webhook } from '@parley/contract/webhook'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import { useFieldProblem } from '../../components/field.tsx'
import { CheckField, SwitchField, TextField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'
import { EVENT_GROUPS, EVENTS } from './delivery-search.ts'
import { EVENT_WORDS, GROUP_WORDS } from './event-words.ts'

/** What of an endpoint can be changed. */
export type WebhookSettings = Pick<Webhook, 'url' | 'events' | 'description' | 'enabled'>

/** Address, events and description of an endpoint. */
export function WebhookFields({
  value,
  onChange,
}: {
  readonly value: WebhookSettings
  readonly onChange: (changes: Partial<WebhookSettings>) => void
}) {
  const t = useText()
  return (
    <>
      <TextField
        label={t('Address')}
        help={t('Where events are posted to, such as https://example.com/hooks.')}
        name="url"
        type="url"
        autoComplete="off"
        spellCheck={false}
        value={value.url}
        onChange={(url) => onChange({ url })}
      />
      <TextField
        label={t('Description')}
        help={t('What it is for, so that people know it again.')}
        name="description"
        isOptional
        value={value.description}
        onChange={(description) => onChange({ description })}
      />
      <EventChecks value={value.events} onChange={(events) => onChange({ events })} />
      <SwitchField
        label={t('On')}
        help={t('While it is off it is told nothing new, and what happened meanwhile is not made up for.')}
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
  const put = (event: WebhookEventName, isOn: boolean): void =>
    onChange(EVENTS.filter((one) => (one === event ? isOn : value.includes(one))))
  const groups = Object.entries(EVENT_GROUPS) as [keyof typeof EVENT_GROUPS, readonly WebhookEventName[]][]
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {groups.map(([group, events]) => (
        <fieldset key={group} className="min-w-0">
          <legend className="pb-0.5 font-medium">{t(GROUP_WORDS[group])}</legend>
          {events.map((event) => (
            <CheckField
              key={event}
              label={
                <>
                  <code className="me-1.5 text-xs">{event}</code>{' '}
                  <span className="text-muted">{t(EVENT_WORDS[event])}</span>
                </>
              }
              value={value.includes(event)}
              onChange={(isOn) => put(event, isOn)}
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
