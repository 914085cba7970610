import type { Agent } from '@parley/contract/agent'
import { CheckField, NumberField, SelectField, TextAreaField } from '../../../components/fields.tsx'
import { Panel } from '../../../components/page.tsx'
import { message, useText } from '../../../lib/language.ts'
import { FIELD_GRID, type SharedPartProps } from './agent-part.ts'
import { CheckGroup } from './check-group.tsx'
import { DurationField } from './duration-field.tsx'

type Setting = Agent['data_storage_setting']
type Category = NonNullable<Agent['pii_config']>['categories'][number]

const CATEGORY_WORDS: Readonly<Record<Category, string>> = {
  person_name: message('Names of people'),
  address: message('Addresses'),
  email: message('E-mail addresses'),
  phone_number: message('Phone numbers'),
  ssn: message('Social security numbers'),
  passport: message('Passports'),
  driver_license: message('Driving licences'),
  credit_card: message('Credit cards'),
  bank_account: message('Bank accounts'),
  password: message('Passwords'),
  pin: message('PINs'),
  medical_id: message('Medical numbers'),
  date_of_birth: message('Dates of birth'),
  customer_account_number: message('Customer numbers'),
}
const CATEGORIES = Object.keys(CATEGORY_WORDS) as readonly Category[]

/** What is kept of conversations, and for how long. */
export function StorageSettings({ value, onChange, disabled }: SharedPartProps) {
  const t = useText()
  return (
    <Panel title={t('What is kept')}>
      <SelectField<Setting>
        label={t('Once a conversation is over, keep')}
        name="data_storage_setting"
        help={t('Recordings of calls are removed with personal data, since nothing can be taken out of sound.')}
        disabled={disabled}
        value={value.data_storage_setting}
        choices={[
          { value: 'everything', label: t('Everything') },
          { value: 'everything_except_pii', label: t('Everything but personal data') },
          { value: 'basic_attributes_only', label: t('Nothing that was said') },
        ]}
        onChange={(setting) => onChange({ data_storage_setting: setting })}
      />
      <NumberField
        label={t('Delete it after')}
        name="data_storage_retention_days"
        isOptional
        help={t('Left empty, conversations are kept for good.')}
        minimum={1}
        maximum={730}
        unit={t('days')}
        disabled={disabled}
        value={value.data_storage_retention_days}
        onChange={(days) => onChange({ data_storage_retention_days: days })}
      />
      {(value.data_storage_setting === 'everything_except_pii' || value.pii_config !== null) && (
        <PersonalData value={value} onChange={onChange} disabled={disabled} />
      )}
    </Panel>
  )
}

function PersonalData({ value: { pii_config: config }, onChange, disabled }: SharedPartProps) {
  const t = useText()
  const choose = (categories: readonly Category[] | null): void =>
    onChange({ pii_config: categories && { mode: 'post_call', categories: [...categories] } })
  return (
    <div className="flex flex-col gap-4">
      <SelectField
        label={t('Personal data is')}
        disabled={disabled}
        value={config === null ? 'all' : 'some'}
        choices={[
          { value: 'all', label: t('All that is known') },
          { value: 'some', label: t('Only what is chosen') },
        ]}
        onChange={(chosen) => choose(chosen === 'all' ? null : CATEGORIES)}
      />
      {config && (
        <CheckGroup label={t('Kinds of personal data')} name="pii_config">
          {CATEGORIES.map((category) => (
            <CheckField
              key={category}
              label={t(CATEGORY_WORDS[category])}
              disabled={disabled}
              value={config.categories.includes(category)}
              onChange={(isOn) =>
                choose(CATEGORIES.filter((one) => (one === category ? isOn : config.categories.includes(one))))
              }
            />
          ))}
        </CheckGroup>
      )}
    </div>
  )
}

/** When silence ends a chat. */
export function ChatEndSettings({ value, onChange, disabled }: SharedPartProps) {
  const t = useText()
  return (
    <Panel title={t('End of chats')}>
      <div className={FIELD_GRID}>
        <DurationField
          label={t('End a chat after silence of')}
          name="end_chat_after_silence_ms"
          scale="min"
          minimum={2}
          maximum={4_320}
          disabled={disabled}
          valueMs={value.end_chat_after_silence_ms}
          onChange={(silenceMs) => onChange({ end_chat_after_silence_ms: silenceMs })}
        />
      </div>
      <TextAreaField
        label={t('What stands last in it then')}
        name="auto_close_message"
        isOptional
        rows={2}
        disabled={disabled}
        value={value.auto_close_message ?? ''}
        onChange={(text) => onChange({ auto_close_message: text === '' ? null : text })}
      />
    </Panel>
  )
}
