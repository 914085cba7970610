import { useId } from 'react'
import { SelectField, SliderField, SwitchField, TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import type { LlmPartProps } from './llm-part.ts'

/** Examples of what each provider of models has; any other name can be typed. */
const KNOWN_MODELS = [
  'offline',
  'openai/gpt-4.1',
  'openai/gpt-4.1-mini',
  'openai/gpt-4.1-nano',
  'openai/gpt-5-mini',
  'anthropic/claude-haiku-4-5',
  'anthropic/claude-sonnet-4-5',
  'anthropic/claude-opus-4-1',
] as const

/** How freely a model words its answers when it is first told to. */
const FIRST_TEMPERATURE = 0.3

/** Which model answers, how freely and how fast. */
export function ModelSettings({ value, onChange, disabled }: LlmPartProps) {
  const t = useText()
  const { number } = useFormats()
  const list = useId()
  const print = (share: number): string => number(share, 2)
  return (
    <Panel>
      <TextField
        label={t('Model')}
        help={t('The provider and its name for the model, such as {example}. Empty: the default model of the server.', {
          example: 'openai/gpt-4.1-mini',
        })}
        name="model"
        list={list}
        spellCheck={false}
        autoComplete="off"
        value={value.model}
        onChange={(model) => onChange({ model })}
        disabled={disabled}
      />
      <datalist id={list}>
        {KNOWN_MODELS.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <p className="text-muted">
        {t('{model} is built in: it answers from the prompt by rules, without any provider and without cost.', {
          model: 'offline',
        })}
      </p>
      <TemperatureFields value={value} onChange={onChange} disabled={disabled} print={print} />
      <Responsiveness
        value={value.responsiveness}
        onChange={(responsiveness) => onChange({ responsiveness })}
        disabled={disabled}
        print={print}
      />
    </Panel>
  )
}

function TemperatureFields({
  value: { model_temperature: temperature },
  onChange,
  disabled,
  print,
}: LlmPartProps & { readonly print: (share: number) => string }) {
  const t = useText()
  return (
    <>
      <SwitchField
        label={t('Leave the temperature to the model')}
        help={t('Each model has a temperature of its own that suits it.')}
        value={temperature === null}
        onChange={(isLeft) => onChange({ model_temperature: isLeft ? null : FIRST_TEMPERATURE })}
        disabled={disabled}
      />
      {temperature !== null && (
        <SliderField
          label={t('Temperature')}
          help={t('Low: the same words every time. High: freer words, and more mistakes.')}
          name="model_temperature"
          minimum={0}
          maximum={1}
          step={0.05}
          value={temperature}
          print={print}
          onChange={(chosen) => onChange({ model_temperature: chosen })}
          disabled={disabled}
        />
      )}
    </>
  )
}

const WORDS = ['slow', 'balanced', 'fast'] as const
const OWN = 'own'
const FIRST_DECIMAL = '0.8'

interface ResponsivenessProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly disabled: boolean
  readonly print: (share: number) => string
}

function Responsiveness({ value, onChange, disabled, print }: ResponsivenessProps) {
  const t = useText()
  const isWord = (WORDS as readonly string[]).includes(value)
  return (
    <>
      <SelectField
        label={t('How fast it answers in calls')}
        help={t('Fast answers feel lively; slow ones let people finish who speak with pauses.')}
        name="responsiveness"
        value={isWord ? value : OWN}
        choices={[
          { value: 'slow', label: t('Slow') },
          { value: 'balanced', label: t('Balanced') },
          { value: 'fast', label: t('Fast') },
          { value: OWN, label: t('Set by yourself') },
        ]}
        onChange={(chosen) => onChange(chosen === OWN ? FIRST_DECIMAL : chosen)}
        disabled={disabled}
      />
      {!isWord && (
        <SliderField
          label={t('From 0 (slow) to 1 (fast)')}
          minimum={0}
          maximum={1}
          step={0.05}
          value={Number(value)}
          print={print}
          onChange={(chosen) => onChange(String(chosen))}
          disabled={disabled}
        />
      )}
    </>
  )
}
