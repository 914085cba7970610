import type { Agent } from '@parley/contract/agent'
import { CheckField } from '../../../components/fields.tsx'
import { message, useText } from '../../../lib/language.ts'
import { CHAT_EVENTS, VOICE_EVENTS } from '../webhook-events.ts'
import { type ChatFieldProps, type SharedFieldProps, type VoiceFieldProps, WHOLE_ROW } from './agent-part.ts'
import { CheckGroup } from './check-group.tsx'

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

export const VoiceEventsField = (field: VoiceFieldProps) => <EventsField {...field} events={VOICE_EVENTS} />
export const ChatEventsField = (field: ChatFieldProps) => <EventsField {...field} events={CHAT_EVENTS} />

/** What the address of its own is told of. */
function EventsField({
  value,
  onChange,
  disabled,
  label,
  events,
}: SharedFieldProps & { readonly events: readonly EventName[] }) {
  const t = useText()
  const hasAddress = value.webhook_url !== null
  const toggle = (name: EventName, isOn: boolean): void =>
    onChange({
      webhook_events: [...events, ...value.webhook_events].filter(
        (one, at, all) => all.indexOf(one) === at && (one === name ? isOn : value.webhook_events.includes(one)),
      ),
    })
  return (
    <div className={WHOLE_ROW}>
      <CheckGroup
        label={label}
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
    </div>
  )
}
