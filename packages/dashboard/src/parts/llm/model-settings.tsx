import { Command } from 'cmdk'
import { Check } from 'lucide-react'
import { useState } from 'react'
import type { FieldProps } from '../../components/field.tsx'
import { SelectField, SliderField, SwitchField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { PopoverField } from '../../components/popover-field.tsx'
import { useFormatter } from '../../lib/format.ts'
import { message, useText } from '../../lib/language.ts'
import type { LlmPartProps } from './prompt-settings.tsx'

interface Vendor {
  readonly name: string
  readonly models: readonly string[]
}

/** Common models by vendor. Users can enter any other name. */
const VENDORS: readonly Vendor[] = [
  { name: message('Built in'), models: ['offline'] },
  {
    name: 'OpenAI',
    models: [
      'openai/gpt-5',
      'openai/gpt-5-mini',
      'openai/gpt-5-nano',
      'openai/gpt-4.1',
      'openai/gpt-4.1-mini',
      'openai/gpt-4.1-nano',
      'openai/gpt-4o',
      'openai/gpt-4o-mini',
    ],
  },
  {
    name: 'Anthropic',
    models: [
      'anthropic/claude-haiku-4-5',
      'anthropic/claude-sonnet-4-5',
      'anthropic/claude-opus-4-5',
      'anthropic/claude-opus-4-1',
    ],
  },
]
const KNOWN_MODELS: ReadonlySet<string> = new Set(VENDORS.flatMap(({ models }) => models))

interface ModelFieldProps extends Omit<FieldProps, 'children'> {
  /** Empty for the server's default model. */
  readonly value: string
  readonly onChange: (model: string) => void
  readonly disabled?: boolean
}

/** Renders a model select with search, grouped by vendor. */
export function ModelField({ value, onChange, disabled, ...field }: ModelFieldProps) {
  const t = useText()
  return (
    <PopoverField
      {...field}
      displayedValue={value === '' ? t('Server default') : value}
      choicesLabel={t('Choose a model')}
      disabled={disabled}
    >
      {(close) => (
        <ModelList
          value={value}
          onSelect={(model) => {
            onChange(model)
            close()
          }}
        />
      )}
    </PopoverField>
  )
}

function ModelList({ value, onSelect }: { readonly value: string; readonly onSelect: (model: string) => void }) {
  const t = useText()
  const [query, setQuery] = useState('')
  const trimmedQuery = query.trim()
  const terms = trimmedQuery.toLowerCase().split(/\s+/)
  const matches = (text: string): boolean => terms.every((term) => text.toLowerCase().includes(term))
  const enteredModel = trimmedQuery !== '' && !KNOWN_MODELS.has(trimmedQuery) ? trimmedQuery : null
  const isCustomModel = value !== '' && !KNOWN_MODELS.has(value)
  const renderRow = (model: string, label: string = model) => (
    <Command.Item
      key={model}
      value={model === '' ? ' default' : model}
      onSelect={() => onSelect(model)}
      className="flex min-h-9 cursor-pointer items-center gap-2 rounded px-2 data-[selected=true]:bg-sunken"
    >
      <Check aria-hidden="true" className={`size-4 shrink-0 ${model === value ? '' : 'invisible'}`} />
      <span className="min-w-0 truncate" dir="auto">
        {label}
      </span>
    </Command.Item>
  )
  return (
    <Command shouldFilter={false} label={t('Choose a model')}>
      <Command.Input
        value={query}
        onValueChange={setQuery}
        placeholder={t('Search or enter vendor/model')}
        className="w-full rounded-t-lg border-b border-line bg-panel px-3 py-2.5"
      />
      <Command.List className="max-h-80 overflow-y-auto p-1 **:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:text-muted">
        {trimmedQuery === '' && renderRow('', t('Server default'))}
        {VENDORS.map(({ name, models }) => {
          const matchingModels = models.filter((model) => matches(`${t(name)} ${model}`))
          return matchingModels.length === 0 ? null : (
            <Command.Group key={name} heading={t(name)}>
              {matchingModels.map((model) => renderRow(model))}
            </Command.Group>
          )
        })}
        {(enteredModel !== null || isCustomModel) && (
          <Command.Group heading={t('Other model')}>
            {isCustomModel && value !== enteredModel && matches(value) && renderRow(value)}
            {enteredModel !== null && renderRow(enteredModel, t('Use “{model}”', { model: enteredModel }))}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  )
}

const DEFAULT_TEMPERATURE = 0.3
const SPEEDS = { slow: message('Slow'), balanced: message('Balanced'), fast: message('Fast') } as const
const CUSTOM = 'custom'
const DEFAULT_CUSTOM_SPEED = '0.8'

/** Renders the model, temperature, and response speed. */
export function ModelSettings({ value, onChange, disabled }: LlmPartProps) {
  const t = useText()
  const format = useFormatter()
  const formatDecimal = (value: number): string => format.number(value, 2)
  const { model_temperature: temperature, responsiveness: speed } = value
  const isNamedSpeed = speed in SPEEDS
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
          value={isNamedSpeed ? speed : CUSTOM}
          choices={[
            ...Object.entries(SPEEDS).map(([name, label]) => ({ value: name, label: t(label) })),
            { value: CUSTOM, label: t('Custom') },
          ]}
          onChange={(selected) => onChange({ responsiveness: selected === CUSTOM ? DEFAULT_CUSTOM_SPEED : selected })}
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
            help={t('Lower values are more predictable, and higher values are more varied.')}
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
