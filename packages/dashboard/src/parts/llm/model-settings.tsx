import { SelectField, SliderField, SwitchField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { useFormatter } from '../../lib/format.ts'
import { message, useText } from '../../lib/language.ts'
import { ModelField } from './model-field.tsx'
import type { LlmSectionProps } from './prompt-settings.tsx'

const DEFAULT_TEMPERATURE = 0.3
const SPEED_LABELS = { slow: message('Slow'), balanced: message('Balanced'), fast: message('Fast') } as const
const CUSTOM_CHOICE = 'custom'
const DEFAULT_CUSTOM_SPEED = '0.8'

/** Renders the model, temperature, and response speed. */
export function ModelSettings({ value, onChange, disabled }: LlmSectionProps) {
  const t = useText()
  const format = useFormatter()
  const formatDecimal = (value: number): string => format.number(value, 2)
  const { model_temperature: temperature, responsiveness: speed } = value
  const isNamedSpeed = speed in SPEED_LABELS
  return (
    <Panel title={t('Model')}>
      <div className="grid min-w-0 items-start gap-x-5 gap-y-4 sm:grid-cols-2">
        <ModelField
          label={t('Model')}
          help={t('{model} needs no API key. It uses simple rules to reply from the instructions.', {
            model: 'offline',
          })}
          name="model"
          value={value.model}
          onChange={(model) => onChange({ model })}
          disabled={disabled}
        />
        <SelectField
          label={t('Response speed')}
          help={t('In calls, a slower agent gives callers more time to pause.')}
          name="responsiveness"
          value={isNamedSpeed ? speed : CUSTOM_CHOICE}
          choices={[
            ...Object.entries(SPEED_LABELS).map(([name, label]) => ({ value: name, label: t(label) })),
            { value: CUSTOM_CHOICE, label: t('Custom') },
          ]}
          onChange={(selected) =>
            onChange({ responsiveness: selected === CUSTOM_CHOICE ? DEFAULT_CUSTOM_SPEED : selected })
          }
          disabled={disabled}
        />
        <SwitchField
          label={t('Default temperature')}
          help={t('Uses the recommended temperature for the model.')}
          value={temperature === null}
          onChange={(isDefault) => onChange({ model_temperature: isDefault ? null : DEFAULT_TEMPERATURE })}
          disabled={disabled}
        />
        {!isNamedSpeed && (
          <SliderField
            label={t('Custom speed')}
            help={t('From 0 (slow) to 1 (fast).')}
            minimum={0}
            maximum={1}
            step={0.05}
            value={Number(speed)}
            format={formatDecimal}
            onChange={(selected) => onChange({ responsiveness: String(selected) })}
            disabled={disabled}
          />
        )}
        {temperature !== null && (
          <SliderField
            label={t('Temperature')}
            help={t('Lower values make replies more predictable. Higher values make them more varied.')}
            name="model_temperature"
            minimum={0}
            maximum={1}
            step={0.05}
            value={temperature}
            format={formatDecimal}
            onChange={(selected) => onChange({ model_temperature: selected })}
            disabled={disabled}
          />
        )}
      </div>
    </Panel>
  )
}
