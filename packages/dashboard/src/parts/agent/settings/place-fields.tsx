import { useMemo } from 'react'
import { RecordField } from '../../../components/record-field.tsx'
import type { SharedFieldProps } from './agent-part.ts'
import { LanguageField } from './language-field.tsx'

/** Language and time zone of an agent. */

export function LanguageSettingField({ value, onChange, disabled, help }: SharedFieldProps) {
  return (
    <LanguageField
      disabled={disabled}
      value={value.language}
      onChange={(language) => onChange({ language })}
      {...(help !== undefined && { help })}
    />
  )
}

export function TimezoneField({ value, onChange, disabled, label, help }: SharedFieldProps) {
  const timezones = useMemo(timezoneChoices, [])
  return (
    <RecordField
      label={label}
      name="timezone"
      {...(help !== undefined && { help })}
      disabled={disabled}
      value={value.timezone}
      choices={timezones}
      onChange={(timezone) => onChange({ timezone: timezone ?? 'UTC' })}
    />
  )
}

function timezoneChoices() {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')].map((name) => ({
    id: name,
    label: name.replaceAll('_', ' '),
  }))
}
