import type { Agent } from '@parley/contract/agent'
import { CheckField, TextField } from '../../../components/fields.tsx'
import { Panel } from '../../../components/page.tsx'
import { message, useText } from '../../../lib/language.ts'
import { EXAMPLES, type SharedPartProps } from './agent-part.ts'
import { CheckGroup } from './check-group.tsx'
import { DurationField } from './duration-field.tsx'

type EventName = Agent['webhook_events'][number]

const WORDS: Partial<Record<EventName, string>> = {
  call_started: message('A call has begun'),
  call_ended: message('A call has ended'),
  call_analyzed: message('A call was analysed'),
  chat_started: message('A chat has begun'),
  chat_ended: message('A chat has ended'),
  chat_analyzed: message('A chat was analysed'),
  transcript_updated: message('Something was said'),
}

/** The address of its own that an agent tells of its conversations. */
export function WebhookSettings({
  value,
  onChange,
  disabled,
  events,
}: SharedPartProps & { readonly events: readonly EventName[] }) {
  const t = useText()
  const hasAddress = value.webhook_url !== null
  const toggle = (name: EventName, isOn: boolean): void =>
    onChange({
      webhook_events: [...events, ...value.webhook_events].filter(
        (one, at, all) => all.indexOf(one) === at && (one === name ? isOn : value.webhook_events.includes(one)),
      ),
    })
  return (
    <Panel title={t('Webhook')}>
      <TextField
        label={t('Address')}
        name="webhook_url"
        isOptional
        help={t('Told of its conversations in the place of the webhooks of the workspace. Left empty, those are told.')}
        type="url"
        placeholder={EXAMPLES.address}
        spellCheck={false}
        disabled={disabled}
        value={value.webhook_url ?? ''}
        onChange={(url) => onChange({ webhook_url: url === '' ? null : url })}
      />
      <DurationField
        label={t('Longest wait for its answer')}
        name="webhook_timeout_ms"
        scale="s"
        minimum={1}
        maximum={30}
        disabled={disabled}
        valueMs={value.webhook_timeout_ms}
        onChange={(timeoutMs) => onChange({ webhook_timeout_ms: timeoutMs })}
      />
      <CheckGroup
        label={t('What it is told')}
        name="webhook_events"
        help={hasAddress ? undefined : t('Counts once there is an address.')}
      >
        {events.map((name) => (
          <CheckField
            key={name}
            label={t(WORDS[name] ?? name)}
            disabled={disabled}
            value={value.webhook_events.includes(name)}
            onChange={(isOn) => toggle(name, isOn)}
          />
        ))}
      </CheckGroup>
    </Panel>
  )
}
