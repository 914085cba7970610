import { NumberField, SelectField, SliderField, SwitchField } from '../../../components/fields.tsx'
import { Panel } from '../../../components/page.tsx'
import { LinesField } from '../../../components/strings-field.tsx'
import { message, useText } from '../../../lib/language.ts'
import { FIELD_GRID, type VoicePartProps } from './agent-part.ts'
import { choicesOf } from './choices-of.ts'
import { DurationField } from './duration-field.tsx'
import { ShareField } from './share-field.tsx'

const SENSITIVITY_WORDS = {
  none: message('Never'),
  low: message('With difficulty'),
  medium: message('Usual'),
  high: message('Easily'),
} as const
const DECIMAL = 'decimal'
const MIDDLE = '0.5'

/** When the agent speaks and when it lets itself be interrupted. */
export function TurnSettings({ value, onChange, disabled }: VoicePartProps) {
  const t = useText()
  return (
    <Panel title={t('Taking turns')}>
      <div className={FIELD_GRID}>
        <DurationField
          label={t('Silence before it answers')}
          name="response_threshold"
          scale="ms"
          step={50}
          minimum={0}
          maximum={5_000}
          disabled={disabled}
          valueMs={value.response_threshold}
          onChange={(silenceMs) => onChange({ response_threshold: silenceMs })}
        />
        <DurationField
          label={t('Wait before its first words')}
          name="begin_message_delay_ms"
          scale="s"
          step={0.1}
          minimum={0}
          maximum={5}
          disabled={disabled}
          valueMs={value.begin_message_delay_ms}
          onChange={(delayMs) => onChange({ begin_message_delay_ms: delayMs })}
        />
        <SensitivityFields value={value} onChange={onChange} disabled={disabled} />
      </div>
      <SwitchField
        label={t('Wait longer for callers who make longer pauses')}
        disabled={disabled}
        value={value.enable_dynamic_responsiveness}
        onChange={(isOn) => onChange({ enable_dynamic_responsiveness: isOn })}
      />
    </Panel>
  )
}

/** A word, or a decimal where the words are too coarse. */
function SensitivityFields({ value, onChange, disabled }: VoicePartProps) {
  const t = useText()
  const { interruption_sensitivity: sensitivity } = value
  const isWord = sensitivity in SENSITIVITY_WORDS
  const set = (text: string): void => onChange({ interruption_sensitivity: text })
  return (
    <>
      <SelectField
        label={t('How easily a caller interrupts it')}
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

/** What the agent says while others speak, or while nobody does. */
export function AttentionSettings({ value, onChange, disabled }: VoicePartProps) {
  const t = useText()
  return (
    <Panel title={t('While the caller speaks')}>
      <SwitchField
        label={t('Say words such as “mhm”')}
        disabled={disabled}
        value={value.enable_backchannel}
        onChange={(isOn) => onChange({ enable_backchannel: isOn })}
      />
      <div className={FIELD_GRID}>
        <ShareField
          label={t('In how many of the pauses')}
          name="backchannel_frequency"
          disabled={disabled || !value.enable_backchannel}
          value={value.backchannel_frequency}
          onChange={(share) => onChange({ backchannel_frequency: share })}
        />
        <LinesField
          label={t('Words to say')}
          name="backchannel_words"
          isOptional
          help={t('One in a line. Left empty: usual words of the language.')}
          disabled={disabled || !value.enable_backchannel}
          value={value.backchannel_words}
          onChange={(words) => onChange({ backchannel_words: words })}
        />
      </div>
    </Panel>
  )
}

/** What silence does, and how long a call may last. */
export function SilenceSettings({ value, onChange, disabled }: VoicePartProps) {
  const t = useText()
  return (
    <Panel title={t('Silence and the end of calls')}>
      <div className={FIELD_GRID}>
        <DurationField
          label={t('Remind the caller after')}
          name="reminder_trigger_ms"
          scale="s"
          step={0.5}
          minimum={0.001}
          maximum={3_600}
          disabled={disabled}
          valueMs={value.reminder_trigger_ms}
          onChange={(silenceMs) => onChange({ reminder_trigger_ms: silenceMs })}
        />
        <NumberField
          label={t('How often at most')}
          name="reminder_max_count"
          help={t('Until the caller speaks again; 0 never reminds.')}
          minimum={0}
          maximum={100}
          disabled={disabled}
          value={value.reminder_max_count}
          onChange={(count) => {
            if (count !== null) onChange({ reminder_max_count: count })
          }}
        />
        <DurationField
          label={t('End a call after silence of')}
          name="end_call_after_silence_ms"
          scale="s"
          minimum={10}
          maximum={7_200}
          disabled={disabled}
          valueMs={value.end_call_after_silence_ms}
          onChange={(silenceMs) => onChange({ end_call_after_silence_ms: silenceMs })}
        />
        <DurationField
          label={t('Longest call')}
          name="max_call_duration_ms"
          scale="min"
          minimum={1}
          maximum={120}
          disabled={disabled}
          valueMs={value.max_call_duration_ms}
          onChange={(durationMs) => onChange({ max_call_duration_ms: durationMs })}
        />
      </div>
    </Panel>
  )
}
