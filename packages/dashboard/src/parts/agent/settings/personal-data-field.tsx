import type { Agent } from '@parley/contract/agent'
import { CheckField, SelectField } from '../../../components/fields.tsx'
import { message, useText } from '../../../lib/language.ts'
import { type SharedFieldProps, WHOLE_ROW } from './agent-part.ts'
import { CheckGroup } from './check-group.tsx'

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

/** What counts as personal, where personal data is not kept. */
export function PersonalDataField({ value, onChange, disabled, label }: SharedFieldProps) {
  const t = useText()
  const { pii_config: config } = value
  if (value.data_storage_setting !== 'everything_except_pii' && config === null) return null
  const choose = (categories: readonly Category[] | null): void =>
    onChange({ pii_config: categories && { mode: 'post_call', categories: [...categories] } })
  return (
    <div className={`flex flex-col gap-4 ${WHOLE_ROW}`}>
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
        <CheckGroup label={label} name="pii_config">
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
