import type { Agent } from '@parley/contract/agent'
import { NumberField, SelectField, TextField } from '../../../components/fields.tsx'
import { useText } from '../../../lib/language.ts'
import type { VoiceFieldProps } from './agent-part.ts'
import { DurationField } from './duration-field.tsx'

/** Which provider recognises speech, where one is to be chosen. */
export function CustomSpeechFields({ value, onChange, disabled }: VoiceFieldProps) {
  const t = useText()
  const { custom_stt_config: config, stt_mode: mode } = value
  if (mode !== 'custom') return null
  const { provider, endpointing_ms: endpointingMs } = config ?? { provider: '', endpointing_ms: null }
  return (
    <>
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
    </>
  )
}

/** When the digits that a caller pressed are a turn. */
export function KeypadFields({ value, onChange, disabled }: VoiceFieldProps) {
  const t = useText()
  const { user_dtmf_options: options } = value
  const change = (changes: Partial<Agent['user_dtmf_options']>): void =>
    onChange({ user_dtmf_options: { ...options, ...changes } })
  return (
    <>
      <NumberField
        label={t('Digits that are a turn at once')}
        name="user_dtmf_options.digit_limit"
        isOptional
        help={t('Left empty: any number.')}
        minimum={1}
        maximum={50}
        disabled={disabled}
        value={options.digit_limit}
        onChange={(limit) => change({ digit_limit: limit })}
      />
      <SelectField
        label={t('Key that ends the digits')}
        name="user_dtmf_options.termination_key"
        disabled={disabled}
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
        disabled={disabled}
        valueMs={options.timeout_ms}
        onChange={(timeoutMs) => change({ timeout_ms: timeoutMs })}
      />
    </>
  )
}
