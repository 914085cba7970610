import type { Agent } from '@parley/contract/agent'
import { NumberField, SelectField, SwitchField, TextField } from '../../../components/fields.tsx'
import { Panel } from '../../../components/page.tsx'
import { LinesField } from '../../../components/strings-field.tsx'
import { useText } from '../../../lib/language.ts'
import { FIELD_GRID, type VoicePartProps } from './agent-part.ts'
import { DurationField } from './duration-field.tsx'

type SttMode = Agent['stt_mode']

/** How speech becomes text. */
export function HearingSettings({ value, onChange, disabled }: VoicePartProps) {
  const t = useText()
  return (
    <Panel title={t('Hearing')}>
      <SelectField<SttMode>
        label={t('Speech recognition')}
        name="stt_mode"
        disabled={disabled}
        value={value.stt_mode}
        choices={[
          { value: 'fast', label: t('Fast') },
          { value: 'accurate', label: t('Accurate: later, with the better model where there is one') },
          { value: 'custom', label: t('A provider of your choice') },
        ]}
        onChange={(mode) => onChange({ stt_mode: mode })}
      />
      {value.stt_mode === 'custom' && <CustomSpeech value={value} onChange={onChange} disabled={disabled} />}
      <LinesField
        label={t('Words to expect')}
        name="boosted_keywords"
        isOptional
        help={t('Such as names of products, one in a line. May hold variables.')}
        disabled={disabled}
        value={value.boosted_keywords}
        onChange={(words) => onChange({ boosted_keywords: words })}
      />
    </Panel>
  )
}

function CustomSpeech({ value: { custom_stt_config: config }, onChange, disabled }: VoicePartProps) {
  const t = useText()
  const { provider, endpointing_ms: endpointingMs } = config ?? { provider: '', endpointing_ms: null }
  return (
    <div className={FIELD_GRID}>
      <TextField
        label={t('Provider')}
        name="custom_stt_config.provider"
        help={t('The name of one that has a key, such as {name}.', { name: 'openai' })}
        spellCheck={false}
        disabled={disabled}
        value={provider}
        onChange={(name) =>
          onChange({ custom_stt_config: name === '' ? null : { provider: name, endpointing_ms: endpointingMs } })
        }
      />
      <NumberField
        label={t('Silence that ends an utterance')}
        name="custom_stt_config.endpointing_ms"
        isOptional
        help={t('Left empty: its own.')}
        unit="ms"
        minimum={10}
        maximum={10_000}
        step={10}
        disabled={disabled || config === null}
        value={endpointingMs}
        onChange={(silenceMs) => onChange({ custom_stt_config: { provider, endpointing_ms: silenceMs } })}
      />
    </div>
  )
}

/** Keys that callers press. */
export function KeypadSettings({ value, onChange, disabled }: VoicePartProps) {
  const t = useText()
  const { user_dtmf_options: options, allow_user_dtmf: isHeard } = value
  const change = (changes: Partial<Agent['user_dtmf_options']>): void =>
    onChange({ user_dtmf_options: { ...options, ...changes } })
  const isOff = disabled || !isHeard
  return (
    <Panel title={t('Keys of the phone')}>
      <SwitchField
        label={t('Hear the keys that the caller presses')}
        disabled={disabled}
        value={isHeard}
        onChange={(isOn) => onChange({ allow_user_dtmf: isOn })}
      />
      <SwitchField
        label={t('A key stops the agent')}
        disabled={isOff}
        value={value.allow_dtmf_interruption}
        onChange={(isOn) => onChange({ allow_dtmf_interruption: isOn })}
      />
      <div className={FIELD_GRID}>
        <NumberField
          label={t('Digits that are a turn at once')}
          name="user_dtmf_options.digit_limit"
          isOptional
          help={t('Left empty: any number.')}
          minimum={1}
          maximum={50}
          disabled={isOff}
          value={options.digit_limit}
          onChange={(limit) => change({ digit_limit: limit })}
        />
        <SelectField
          label={t('Key that ends the digits')}
          name="user_dtmf_options.termination_key"
          disabled={isOff}
          value={options.termination_key ?? ''}
          choices={[{ value: '', label: t('None') }, ...[...'#*0123456789'].map((key) => ({ value: key, label: key }))]}
          onChange={(key) => change({ termination_key: key === '' ? null : key })}
        />
        <DurationField
          label={t('Wait after the last digit')}
          name="user_dtmf_options.timeout_ms"
          scale="s"
          step={0.5}
          minimum={1}
          maximum={15}
          disabled={isOff}
          valueMs={options.timeout_ms}
          onChange={(timeoutMs) => change({ timeout_ms: timeoutMs })}
        />
      </div>
    </Panel>
  )
}
