import type { Agent } from '@parley/contract/agent'
import { MAX_FALLBACK_VOICES } from '@parley/contract/agent-settings/voice-settings'
import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../../components/button.tsx'
import { NumberField, SelectField, SliderField, TextField } from '../../../components/fields.tsx'
import { message, useText } from '../../../lib/language.ts'
import { VoiceField } from '../../voice-picker/voice-field.tsx'
import { buildChoices, FULL_WIDTH, type VoiceFieldProps } from './agent-part.ts'
import { DurationField } from './plain-field.tsx'

export function VoiceSettingField({ value, onChange, disabled, label }: VoiceFieldProps) {
  return (
    <div className={FULL_WIDTH}>
      <VoiceField
        label={label}
        name="voice_id"
        disabled={disabled}
        value={value.voice_id}
        onChange={(voiceId) => onChange({ voice_id: voiceId })}
      />
    </div>
  )
}

export function FallbackVoicesField({ value, onChange, disabled }: VoiceFieldProps) {
  const t = useText()
  const { fallback_voice_ids: voices } = value
  const setVoices = (voiceIds: string[]): void => onChange({ fallback_voice_ids: voiceIds })
  return (
    <div className={`flex min-w-0 flex-col gap-4 ${FULL_WIDTH}`}>
      {voices.map((voiceId, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the user can change the voice.
        <div key={index} className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <VoiceField
              label={t('Voice {number}', { number: index + 1 })}
              name={`fallback_voice_ids[${index}]`}
              disabled={disabled}
              value={voiceId}
              onChange={(selected) =>
                setVoices(
                  voices.map((existingVoiceId, voiceIndex) => (voiceIndex === index ? selected : existingVoiceId)),
                )
              }
            />
          </div>
          {!disabled && (
            <IconButton
              icon={Trash2}
              label={t('Remove voice {number}', { number: index + 1 })}
              onClick={() => setVoices(voices.filter((_item, voiceIndex) => voiceIndex !== index))}
            />
          )}
        </div>
      ))}
      {!disabled && voices.length < MAX_FALLBACK_VOICES && (
        <Button kind="quiet" icon={Plus} className="w-fit" onClick={() => setVoices([...voices, ''])}>
          {t('Add voice')}
        </Button>
      )}
    </div>
  )
}

const SENSITIVITY_LABELS = {
  none: message('Never'),
  low: message('Low'),
  medium: message('Medium'),
  high: message('High'),
} as const
const DECIMAL = 'decimal'
const DEFAULT_SENSITIVITY = '0.5'

/** Renders the interruption sensitivity as a named level or a number. */
export function SensitivityField({ value, onChange, disabled, label }: VoiceFieldProps) {
  const t = useText()
  const { interruption_sensitivity: sensitivity } = value
  const isNamedLevel = sensitivity in SENSITIVITY_LABELS
  const setSensitivity = (newSensitivity: string): void => onChange({ interruption_sensitivity: newSensitivity })
  return (
    <>
      <SelectField
        label={label}
        {...(isNamedLevel && { name: 'interruption_sensitivity' })}
        disabled={disabled}
        value={isNamedLevel ? sensitivity : DECIMAL}
        choices={[...buildChoices<string>(SENSITIVITY_LABELS, t), { value: DECIMAL, label: t('Custom') }]}
        onChange={(selected) => setSensitivity(selected === DECIMAL ? DEFAULT_SENSITIVITY : selected)}
      />
      {!isNamedLevel && (
        <SliderField
          label={t('Sensitivity')}
          name="interruption_sensitivity"
          minimum={0}
          maximum={1}
          step={0.05}
          disabled={disabled}
          value={Number(sensitivity)}
          onChange={(number) => setSensitivity(String(number))}
        />
      )}
    </>
  )
}

type Entry = Agent['pronunciation_dictionary'][number]

const ALPHABETS = ['ipa', 'cmu', 'pinyin', 'jyutping'] as const satisfies readonly Entry['alphabet'][]

export function PronunciationField({ value, onChange, disabled }: VoiceFieldProps) {
  const t = useText()
  const { pronunciation_dictionary: entries } = value
  const setEntries = (newEntries: Entry[]): void => onChange({ pronunciation_dictionary: newEntries })
  return (
    <div className={`flex min-w-0 flex-col gap-4 ${FULL_WIDTH}`}>
      {entries.map((entry, index) => (
        <EntryFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the word changes while the user types.
          key={index}
          entry={entry}
          index={index}
          disabled={disabled}
          onChange={(changes) =>
            setEntries(
              entries.map((existingEntry, entryIndex) =>
                entryIndex === index ? { ...existingEntry, ...changes } : existingEntry,
              ),
            )
          }
          onRemove={() => setEntries(entries.filter((_item, entryIndex) => entryIndex !== index))}
        />
      ))}
      {!disabled && (
        <Button
          kind="quiet"
          icon={Plus}
          className="w-fit"
          onClick={() => setEntries([...entries, { word: '', alphabet: 'ipa', phoneme: '' }])}
        >
          {t('Add word')}
        </Button>
      )}
    </div>
  )
}

interface EntryFieldsProps {
  readonly entry: Entry
  readonly index: number
  readonly disabled: boolean
  readonly onChange: (changes: Partial<Entry>) => void
  readonly onRemove: () => void
}

function EntryFields({ entry, index, disabled, onChange, onRemove }: EntryFieldsProps) {
  const t = useText()
  return (
    <fieldset className="grid items-end gap-2 sm:grid-cols-[1fr_8rem_1fr_auto]">
      <legend className="sr-only">{t('Word {number}', { number: index + 1 })}</legend>
      <TextField
        label={t('Word')}
        name={`pronunciation_dictionary[${index}].word`}
        disabled={disabled}
        value={entry.word}
        onChange={(word) => onChange({ word })}
      />
      <SelectField<Entry['alphabet']>
        label={t('Alphabet')}
        disabled={disabled}
        value={entry.alphabet}
        choices={ALPHABETS.map((name) => ({ value: name, label: name.toUpperCase() }))}
        onChange={(alphabet) => onChange({ alphabet })}
      />
      <TextField
        label={t('Pronunciation')}
        name={`pronunciation_dictionary[${index}].phoneme`}
        spellCheck={false}
        disabled={disabled}
        value={entry.phoneme}
        onChange={(phoneme) => onChange({ phoneme })}
      />
      {!disabled && (
        <IconButton icon={Trash2} label={t('Remove word {number}', { number: index + 1 })} onClick={onRemove} />
      )}
    </fieldset>
  )
}

export function CustomSpeechFields({ value, onChange, disabled }: VoiceFieldProps) {
  const t = useText()
  const { custom_stt_config: config, stt_mode: mode } = value
  if (mode !== 'custom') return null
  const { provider, endpointing_ms: endpointingMs } = config ?? { provider: '', endpointing_ms: null }
  return (
    <>
      <TextField
        label={t('Vendor')}
        name="custom_stt_config.provider"
        help={t('A vendor with an API key, such as {name}.', { name: 'openai' })}
        spellCheck={false}
        disabled={disabled}
        value={provider}
        onChange={(name) =>
          onChange({ custom_stt_config: name === '' ? null : { provider: name, endpointing_ms: endpointingMs } })
        }
      />
      <NumberField
        label={t('Endpointing')}
        name="custom_stt_config.endpointing_ms"
        isOptional
        help={t('Silence that ends an utterance. Leave empty for the default.')}
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

export function KeypadFields({ value, onChange, disabled }: VoiceFieldProps) {
  const t = useText()
  const { user_dtmf_options: options } = value
  const updateOptions = (changes: Partial<Agent['user_dtmf_options']>): void =>
    onChange({ user_dtmf_options: { ...options, ...changes } })
  return (
    <>
      <NumberField
        label={t('Max digits')}
        name="user_dtmf_options.digit_limit"
        isOptional
        help={t('Sends the digits after this many keypresses. Leave empty for no limit.')}
        minimum={1}
        maximum={50}
        disabled={disabled}
        value={options.digit_limit}
        onChange={(limit) => updateOptions({ digit_limit: limit })}
      />
      <SelectField
        label={t('End key')}
        name="user_dtmf_options.termination_key"
        disabled={disabled}
        value={options.termination_key ?? ''}
        choices={[{ value: '', label: t('None') }, ...[...'#*0123456789'].map((key) => ({ value: key, label: key }))]}
        onChange={(key) => updateOptions({ termination_key: key === '' ? null : key })}
      />
      <DurationField
        label={t('Wait after last digit')}
        name="user_dtmf_options.timeout_ms"
        timeUnit="s"
        step={0.5}
        minimum={1}
        maximum={15}
        disabled={disabled}
        valueMs={options.timeout_ms}
        onChange={(timeoutMs) => updateOptions({ timeout_ms: timeoutMs })}
      />
    </>
  )
}
