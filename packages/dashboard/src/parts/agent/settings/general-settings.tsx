import { useMemo } from 'react'
import { TextField } from '../../../components/fields.tsx'
import { Panel } from '../../../components/page.tsx'
import { RecordField } from '../../../components/record-field.tsx'
import { useText } from '../../../lib/language.ts'
import { FIELD_GRID, type SharedPartProps } from './agent-part.ts'
import { LanguageField } from './language-field.tsx'

/** Name, language and time zone. */
export function GeneralSettings({ value, onChange, disabled }: SharedPartProps) {
  const t = useText()
  const timezones = useMemo(timezoneChoices, [])
  return (
    <Panel title={t('General')}>
      <div className={FIELD_GRID}>
        <TextField
          className="sm:col-span-2"
          label={t('Name')}
          name="agent_name"
          help={t('To know it by. No model is told it.')}
          maxLength={200}
          disabled={disabled}
          value={value.agent_name}
          onChange={(name) => onChange({ agent_name: name })}
        />
        <LanguageField
          disabled={disabled}
          value={value.language}
          onChange={(language) => onChange({ language })}
          help={t('Language of the speech. Say in the prompt what to write in.')}
        />
        <RecordField
          label={t('Time zone')}
          name="timezone"
          help={t('Of the time that prompts are told.')}
          disabled={disabled}
          value={value.timezone}
          choices={timezones}
          onChange={(timezone) => onChange({ timezone: timezone ?? 'UTC' })}
        />
      </div>
    </Panel>
  )
}

function timezoneChoices() {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')].map((name) => ({
    id: name,
    label: name.replaceAll('_', ' '),
  }))
}
