import type { Setting } from '@parley/contract/agent-settings/setting'
import type { ComponentProps } from 'react'
import type { FieldProps } from '../../../components/field.tsx'
import {
  NumberField,
  SelectField,
  SliderField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../../components/fields.tsx'
import { LinesField } from '../../../components/strings-field.tsx'
import { useFormatter } from '../../../lib/format.ts'
import { useText } from '../../../lib/language.ts'
import { FULL_WIDTH } from './agent-part.ts'

export type ScalarValue = boolean | number | string | readonly string[] | null
type PlainSetting = Exclude<Setting, { readonly type: 'custom' | 'required' }>

export interface PlainFieldProps<FieldSetting extends PlainSetting> {
  readonly name: string
  readonly setting: FieldSetting
  readonly value: ScalarValue
  readonly onChange: (value: ScalarValue) => void
  readonly disabled: boolean
}

/** Renders the field for a setting's type and bounds. */
export function PlainField({ setting, ...field }: PlainFieldProps<PlainSetting>) {
  switch (setting.type) {
    case 'switch':
      return <SwitchSettingField setting={setting} {...field} />
    case 'integer':
      return <IntegerSettingField setting={setting} {...field} />
    case 'factor':
      return <FactorSettingField setting={setting} {...field} />
    case 'choice':
      return <ChoiceSettingField setting={setting} {...field} />
    case 'text':
      return <TextSettingField setting={setting} {...field} />
    case 'lines':
      return <LinesSettingField setting={setting} {...field} />
  }
}

type SettingProps<Type extends PlainSetting['type']> = PlainFieldProps<Extract<PlainSetting, { readonly type: Type }>>

function useLabels({ name, setting }: Pick<PlainFieldProps<PlainSetting>, 'name' | 'setting'>) {
  const t = useText()
  return { label: t(setting.label), name, ...(setting.help !== undefined && { help: t(setting.help) }) }
}

function SwitchSettingField({ value, onChange, disabled, ...field }: SettingProps<'switch'>) {
  return (
    <SwitchField
      {...useLabels(field)}
      className={FULL_WIDTH}
      disabled={disabled}
      value={value === true}
      onChange={onChange}
    />
  )
}

/** Renders an integer field. Clearing a required field has no effect. */
function IntegerSettingField({ value, onChange, disabled, ...field }: SettingProps<'integer'>) {
  const t = useText()
  const labels = useLabels(field)
  const { minimum, maximum, default: defaultValue, unit, shownIn, step } = field.setting
  const stepProps = { ...(step !== undefined && { step }), disabled }
  if (shownIn !== undefined) {
    return (
      <DurationField
        {...labels}
        {...stepProps}
        timeUnit={shownIn}
        minimum={convertToUnit(minimum, shownIn)}
        maximum={convertToUnit(maximum, shownIn)}
        valueMs={Number(value)}
        onChange={onChange}
      />
    )
  }
  return (
    <NumberField
      {...labels}
      {...stepProps}
      isOptional={defaultValue === null}
      minimum={minimum}
      maximum={maximum}
      {...(unit === 'days' && { unit: t('days') })}
      value={typeof value === 'number' ? value : null}
      onChange={(number) => {
        if (number !== null || defaultValue === null) onChange(number)
      }}
    />
  )
}

function FactorSettingField({ value, onChange, disabled, ...field }: SettingProps<'factor'>) {
  const { minimum, maximum } = field.setting
  return (
    <PercentField
      {...useLabels(field)}
      minimum={minimum}
      maximum={maximum}
      disabled={disabled}
      value={Number(value)}
      onChange={onChange}
    />
  )
}

/** Renders a select. The empty choice means `null`. */
function ChoiceSettingField({ value, onChange, disabled, ...field }: SettingProps<'choice'>) {
  const t = useText()
  const { choices, unset } = field.setting
  const options = Object.entries(choices).map(([choice, label]) => ({ value: choice, label: t(label) }))
  return (
    <SelectField
      {...useLabels(field)}
      disabled={disabled}
      value={typeof value === 'string' ? value : ''}
      choices={unset === undefined ? options : [{ value: '', label: t(unset) }, ...options]}
      onChange={(selected) => onChange(selected === '' ? null : selected)}
    />
  )
}

function TextSettingField({ value, onChange, disabled, ...field }: SettingProps<'text'>) {
  const labels = useLabels(field)
  const { rows, maxLength, example, inputType, default: defaultValue } = field.setting
  const inputProps = {
    ...labels,
    ...(example !== undefined && { placeholder: example }),
    isOptional: defaultValue === null,
    disabled,
    value: typeof value === 'string' ? value : '',
    onChange: (text: string) => onChange(text === '' ? defaultValue : text),
  }
  if (rows !== undefined) return <TextAreaField {...inputProps} rows={rows} className={FULL_WIDTH} />
  return (
    <TextField
      {...inputProps}
      {...(maxLength !== undefined && { maxLength })}
      {...(inputType !== undefined && { type: inputType })}
      spellCheck={false}
    />
  )
}

function LinesSettingField({ value, onChange, disabled, ...field }: SettingProps<'lines'>) {
  const { example } = field.setting
  return (
    <LinesField
      {...useLabels(field)}
      {...(example !== undefined && { placeholder: example })}
      className={FULL_WIDTH}
      isOptional
      disabled={disabled}
      value={typeof value === 'object' && value !== null ? value : []}
      onChange={onChange}
    />
  )
}

const PERCENT_STEP = 0.05

interface PercentProps extends Omit<ComponentProps<typeof SliderField>, 'minimum' | 'maximum' | 'step' | 'format'> {
  readonly minimum?: number
  readonly maximum?: number
}

/** Renders a fraction as a percentage. */
function PercentField({ minimum = 0, maximum = 1, ...field }: PercentProps) {
  const format = useFormatter()
  return <SliderField {...field} minimum={minimum} maximum={maximum} step={PERCENT_STEP} format={format.percent} />
}

const MS_PER_UNIT = { ms: 1, s: 1_000, min: 60_000 } as const
type TimeUnit = keyof typeof MS_PER_UNIT

interface DurationFieldProps extends Omit<FieldProps, 'children' | 'error'> {
  readonly valueMs: number
  readonly onChange: (valueMs: number) => void
  /** The displayed unit, which also applies to the step and bounds. */
  readonly timeUnit: TimeUnit
  readonly step?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly disabled: boolean
}

/** Renders a duration field in the given unit. Clearing the field has no effect. */
export function DurationField({ valueMs, onChange, timeUnit, ...field }: DurationFieldProps) {
  const t = useText()
  const unitLabels = { ms: 'ms', s: 's', min: t('min') }
  return (
    <NumberField
      {...field}
      unit={unitLabels[timeUnit]}
      value={convertToUnit(valueMs, timeUnit)}
      onChange={(value) => {
        if (value !== null) onChange(Math.round(value * MS_PER_UNIT[timeUnit]))
      }}
    />
  )
}

/** Converts milliseconds to a unit. Rounds to hide floating-point errors. */
function convertToUnit(valueMs: number, timeUnit: TimeUnit): number {
  return Math.round((valueMs / MS_PER_UNIT[timeUnit]) * 1e6) / 1e6
}
