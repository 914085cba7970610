import type { Agent } from '@parley/contract/agent'
import {
  AGENT_SETTINGS,
  type CALL_SETTINGS,
  CHAT_AGENT_SETTINGS,
  type SHARED_SETTINGS,
} from '@parley/contract/agent-settings/agent-settings'
import type { CALL_OUTCOME_SETTINGS, CHAT_OUTCOME_SETTINGS } from '@parley/contract/agent-settings/outcome-settings'
import type { CustomSettingName, Setting, SettingList } from '@parley/contract/agent-settings/setting'
import { SETTING_GROUPS, type SettingGroupName, type SettingTab } from '@parley/contract/agent-settings/setting-groups'
import type { ChatAgent } from '@parley/contract/chat-agent'
import { type ReactNode, useMemo } from 'react'
import { Panel } from '../../../components/page.tsx'
import { RecordField } from '../../../components/record-field.tsx'
import { useText } from '../../../lib/language.ts'
import type { AnyAgent, SharedAgent } from '../agent-api.ts'
import { type CustomFieldProps, FIELD_GRID, type SectionProps, type SharedFieldProps } from './agent-part.ts'
import { CallAnalysisField, ChatAnalysisField } from './analysis-fields.tsx'
import { ChatEventsField, PersonalDataField, VoiceEventsField } from './data-fields.tsx'
import { LanguageField } from './language-field.tsx'
import { PlainField, type ScalarValue } from './plain-field.tsx'
import {
  CustomSpeechFields,
  FallbackVoicesField,
  KeypadFields,
  PronunciationField,
  SensitivityField,
  VoiceSettingField,
} from './voice-fields.tsx'

type FieldComponent<Value> = (props: CustomFieldProps<Value>) => ReactNode
type Fields<Settings extends SettingList, Value> = Readonly<Record<CustomSettingName<Settings>, FieldComponent<Value>>>

const SHARED_FIELDS: Fields<typeof SHARED_SETTINGS, SharedAgent> = {
  language: LanguageSettingField,
  timezone: TimezoneField,
  pii_config: PersonalDataField,
}

const AGENT_FIELDS: Fields<typeof CALL_SETTINGS & typeof CALL_OUTCOME_SETTINGS, Agent> & typeof SHARED_FIELDS = {
  ...SHARED_FIELDS,
  voice_id: VoiceSettingField,
  interruption_sensitivity: SensitivityField,
  fallback_voice_ids: FallbackVoicesField,
  pronunciation_dictionary: PronunciationField,
  user_dtmf_options: KeypadFields,
  custom_stt_config: CustomSpeechFields,
  post_call_analysis_data: CallAnalysisField,
  webhook_events: VoiceEventsField,
}

const CHAT_AGENT_FIELDS: Fields<typeof CHAT_OUTCOME_SETTINGS, ChatAgent> & typeof SHARED_FIELDS = {
  ...SHARED_FIELDS,
  post_chat_analysis_data: ChatAnalysisField,
  webhook_events: ChatEventsField,
}

type TabProps<Value> = SectionProps<Value> & { readonly tab: SettingTab }

export function AgentSettings(props: TabProps<Agent>) {
  return <SettingGroups {...props} settings={AGENT_SETTINGS} fields={AGENT_FIELDS} />
}

export function ChatAgentSettings(props: TabProps<ChatAgent>) {
  return <SettingGroups {...props} settings={CHAT_AGENT_SETTINGS} fields={CHAT_AGENT_FIELDS} />
}

interface SettingGroupsProps<Value> extends TabProps<Value> {
  readonly settings: SettingList
  readonly fields: Readonly<Record<string, FieldComponent<Value>>>
}

function SettingGroups<Value extends AnyAgent>({ tab, settings, ...sectionProps }: SettingGroupsProps<Value>) {
  const t = useText()
  const groups = Object.keys(SETTING_GROUPS) as SettingGroupName[]
  return groups.map((name) => {
    const group = SETTING_GROUPS[name]
    const groupSettings = Object.entries<Setting>(settings).filter(([, setting]) => setting.group === name)
    if (group.tab !== tab || groupSettings.length === 0) return null
    return (
      <Panel key={name} title={t(group.title)} {...('description' in group && { description: t(group.description) })}>
        <div className={FIELD_GRID}>
          {groupSettings.map(([settingName, setting]) => (
            <SettingField key={settingName} name={settingName} setting={setting} {...sectionProps} />
          ))}
        </div>
      </Panel>
    )
  })
}

interface SettingFieldProps<Value> extends Omit<SettingGroupsProps<Value>, 'tab' | 'settings'> {
  readonly name: string
  readonly setting: Setting
}

function SettingField<Value extends AnyAgent>({ name, setting, fields, ...sectionProps }: SettingFieldProps<Value>) {
  const t = useText()
  const { value, onChange } = sectionProps
  const values = value as object as Readonly<Record<string, ScalarValue>>
  const disabled = sectionProps.disabled || (setting.needs !== undefined && values[setting.needs] !== true)
  if (setting.type === 'custom' || setting.type === 'required') {
    const CustomField = fields[name]
    const labels = { label: t(setting.label), ...(setting.help !== undefined && { help: t(setting.help) }) }
    return CustomField && <CustomField {...sectionProps} {...labels} disabled={disabled} />
  }
  return (
    <PlainField
      name={name}
      setting={setting}
      value={values[name] ?? null}
      onChange={(newValue) => onChange({ [name]: newValue } as object as Partial<Value>)}
      disabled={disabled}
    />
  )
}

function LanguageSettingField({ value, onChange, disabled, help }: SharedFieldProps) {
  return (
    <LanguageField
      disabled={disabled}
      value={value.language}
      onChange={(language) => onChange({ language })}
      {...(help !== undefined && { help })}
    />
  )
}

function TimezoneField({ value, onChange, disabled, label, help }: SharedFieldProps) {
  const timezones = useMemo(listTimezoneChoices, [])
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

function listTimezoneChoices() {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')].map((name) => ({
    id: name,
    label: name.replaceAll('_', ' '),
  }))
}
