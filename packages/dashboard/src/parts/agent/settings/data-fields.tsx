import type { Agent } from '@parley/contract/agent'
import type { ReactNode } from 'react'
import { useFieldProblem } from '../../../components/field.tsx'
import { CheckField, SelectField } from '../../../components/fields.tsx'
import { message, useText } from '../../../lib/language.ts'
import { CHAT_EVENTS, VOICE_EVENTS } from '../agent-body.ts'
import { type ChatFieldProps, FULL_WIDTH, type SharedFieldProps, type VoiceFieldProps } from './agent-part.ts'

type Category = NonNullable<Agent['pii_config']>['categories'][number]

const CATEGORY_LABELS: Readonly<Record<Category, string>> = {
  person_name: message('Names'),
  address: message('Addresses'),
  email: message('Email addresses'),
  phone_number: message('Phone numbers'),
  ssn: message('Social security numbers'),
  passport: message('Passport numbers'),
  driver_license: message('Driver’s licenses'),
  credit_card: message('Credit card numbers'),
  bank_account: message('Bank account numbers'),
  password: message('Passwords'),
  pin: message('PINs'),
  medical_id: message('Medical record numbers'),
  date_of_birth: message('Dates of birth'),
  customer_account_number: message('Customer numbers'),
}
const CATEGORIES = Object.keys(CATEGORY_LABELS) as readonly Category[]

export function PersonalDataField({ value, onChange, disabled, label }: SharedFieldProps) {
  const t = useText()
  const { pii_config: config } = value
  if (value.data_storage_setting !== 'everything_except_pii' && config === null) return null
  const setCategories = (categories: readonly Category[] | null): void =>
    onChange({ pii_config: categories && { mode: 'post_call', categories: [...categories] } })
  return (
    <div className={`flex flex-col gap-4 ${FULL_WIDTH}`}>
      <SelectField
        label={t('Data to remove')}
        disabled={disabled}
        value={config === null ? 'all' : 'some'}
        choices={[
          { value: 'all', label: t('All types') },
          { value: 'some', label: t('Selected types') },
        ]}
        onChange={(selected) => setCategories(selected === 'all' ? null : CATEGORIES)}
      />
      {config && (
        <CheckGroup label={label} name="pii_config">
          {CATEGORIES.map((category) => (
            <CheckField
              key={category}
              label={t(CATEGORY_LABELS[category])}
              disabled={disabled}
              value={config.categories.includes(category)}
              onChange={(isOn) =>
                setCategories(
                  CATEGORIES.filter((option) => (option === category ? isOn : config.categories.includes(option))),
                )
              }
            />
          ))}
        </CheckGroup>
      )}
    </div>
  )
}

type EventName = Agent['webhook_events'][number]

const EVENT_LABELS: Partial<Record<EventName, string>> = {
  call_started: message('Call started'),
  call_ended: message('Call ended'),
  call_analyzed: message('Call analyzed'),
  chat_started: message('Chat started'),
  chat_ended: message('Chat ended'),
  chat_analyzed: message('Chat analyzed'),
  transcript_updated: message('Transcript updated'),
}

export const VoiceEventsField = (field: VoiceFieldProps) => <EventsField {...field} events={VOICE_EVENTS} />
export const ChatEventsField = (field: ChatFieldProps) => <EventsField {...field} events={CHAT_EVENTS} />

function EventsField({
  value,
  onChange,
  disabled,
  label,
  events,
}: SharedFieldProps & { readonly events: readonly EventName[] }) {
  const t = useText()
  const hasUrl = value.webhook_url !== null
  const toggleEvent = (name: EventName, isOn: boolean): void =>
    onChange({
      webhook_events: [...events, ...value.webhook_events].filter(
        (event, index, mergedEvents) =>
          mergedEvents.indexOf(event) === index && (event === name ? isOn : value.webhook_events.includes(event)),
      ),
    })
  return (
    <div className={FULL_WIDTH}>
      <CheckGroup label={label} name="webhook_events" help={hasUrl ? undefined : t('Requires a webhook URL.')}>
        {events.map((name) => (
          <CheckField
            key={name}
            label={t(EVENT_LABELS[name] ?? name)}
            disabled={disabled}
            value={value.webhook_events.includes(name)}
            onChange={(isOn) => toggleEvent(name, isOn)}
          />
        ))}
      </CheckGroup>
    </div>
  )
}

function CheckGroup({
  label,
  name,
  help,
  children,
}: {
  readonly label: string
  readonly name: string
  readonly help?: string | undefined
  readonly children: ReactNode
}) {
  const problem = useFieldProblem(name)
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5" data-field={name}>
      <legend className="mb-1.5 font-medium">{label}</legend>
      {help && <p className="text-muted">{help}</p>}
      <div className="grid gap-x-5 sm:grid-cols-2">{children}</div>
      {problem && (
        <p role="alert" dir="auto" className="text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  )
}
