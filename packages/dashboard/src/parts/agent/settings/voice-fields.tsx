import { MAX_FALLBACK_VOICES } from '@parley/contract/agent-settings/voice-settings'
import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../../components/button.tsx'
import { SelectField, SliderField } from '../../../components/fields.tsx'
import { message, useText } from '../../../lib/language.ts'
import { VoiceField } from '../../voice-picker/voice-field.tsx'
import { type VoiceFieldProps, WHOLE_ROW } from './agent-part.ts'
import { choicesOf } from './choices-of.ts'

/** The voice, chosen out of the catalogue. */
export function VoiceSettingField({ value, onChange, disabled, label }: VoiceFieldProps) {
  return (
    <div className={WHOLE_ROW}>
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

/** Voices that take over, one below the other in their order. */
export function FallbackVoicesField({ value, onChange, disabled }: VoiceFieldProps) {
  const t = useText()
  const { fallback_voice_ids: voices } = value
  const change = (changed: string[]): void => onChange({ fallback_voice_ids: changed })
  return (
    <div className={`flex min-w-0 flex-col gap-4 ${WHOLE_ROW}`}>
      {voices.map((voiceId, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the voice is what is being chosen.
        <div key={index} className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <VoiceField
              label={t('Voice {number}', { number: index + 1 })}
              name={`fallback_voice_ids[${index}]`}
              disabled={disabled}
              value={voiceId}
              onChange={(chosen) => change(voices.map((one, at) => (at === index ? chosen : one)))}
            />
          </div>
          {!disabled && (
            <IconButton
              icon={Trash2}
              label={t('Remove voice {number}', { number: index + 1 })}
              onClick={() => change(voices.filter((_one, at) => at !== index))}
            />
          )}
        </div>
      ))}
      {!disabled && voices.length < MAX_FALLBACK_VOICES && (
        <Button kind="quiet" icon={Plus} className="w-fit" onClick={() => change([...voices, ''])}>
          {t('Add a voice')}
        </Button>
      )}
    </div>
  )
}

const SENSITIVITY_WORDS = {
  none: message('Never'),
  low: message('With difficulty'),
  medium: message('Usual'),
  high: message('Easily'),
} as const
const DECIMAL = 'decimal'
const MIDDLE = '0.5'

/** A word, or a decimal where the words are too coarse. */
export function SensitivityField({ value, onChange, disabled, label }: VoiceFieldProps) {
  const t = useText()
  const { interruption_sensitivity: sensitivity } = value
  const isWord = sensitivity in SENSITIVITY_WORDS
  const set = (text: string): void => onChange({ interruption_sensitivity: text })
  return (
    <>
      <SelectField
        label={label}
        {...(isWord && { name: 'interruption_sensitivity' })}
        disabled={disabled}
        value={isWord ? sensitivity : DECIMAL}
        choices={[...choicesOf<string>(SENSITIVITY_WORDS, t), { value: DECIMAL, label: t('By a number') }]}
        onChange={(chosen) => set(chosen === DECIMAL ? MIDDLE : chosen)}
      />
      {!isWord && (
        <SliderField
          label={t('Sensitivity')}
          name="interruption_sensitivity"
          minimum={0}
          maximum={1}
          step={0.05}
          disabled={disabled}
          value={Number(sensitivity)}
          onChange={(number) => set(String(number))}
        />
      )}
    </>
  )
}
