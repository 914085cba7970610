import type { Setting } from '@parley/contract/agent-settings/setting'
import type { ComponentProps } from 'react'
import {
  NumberField,
  SelectField,
  SliderField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../../components/fields.tsx'
import { LinesField } from '../../../components/strings-field.tsx'
import { useFormats } from '../../../lib/format.ts'
import { useText } from '../../../lib/language.ts'
import { WHOLE_ROW } from './agent-part.ts'
import { DurationField, inUnit } from './duration-field.tsx'

/** Values of settings without a field of their own. */
export type ScalarValue = boolean | number | string | readonly string[] | null
type PlainSetting = Exclude<Setting, { readonly type: 'custom' | 'required' }>

export interface PlainFieldProps<One extends PlainSetting> {
  readonly name: string
  readonly setting: One
  readonly value: ScalarValue
  readonly onChange: (value: ScalarValue) => void
  readonly disabled: boolean
}

/** The field that the type and the bounds of a setting say. */
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

type FieldOf<Type extends PlainSetting['type']> = PlainFieldProps<Extract<PlainSetting, { readonly type: Type }>>

/** What every field says of its setting. */
function useWords({ name, setting }: Pick<PlainFieldProps<PlainSetting>, 'name' | 'setting'>) {
  const t = useText()
  return { label: t(setting.label), name, ...(setting.help !== undefined && { help: t(setting.help) }) }
}

function SwitchSettingField({ value, onChange, disabled, ...field }: FieldOf<'switch'>) {
  return (
    <SwitchField
      {...useWords(field)}
      className={WHOLE_ROW}
      disabled={disabled}
      value={value === true}
      onChange={onChange}
    />
  )
}

/** An empty field changes nothing where the setting needs a value. */
function IntegerSettingField({ value, onChange, disabled, ...field }: FieldOf<'integer'>) {
  const t = useText()
  const words = useWords(field)
  const { minimum, maximum, default: usual, unit, shownIn, step } = field.setting
  const steps = { ...(step !== undefined && { step }), disabled }
  if (shownIn !== undefined) {
    return (
      <DurationField
        {...words}
        {...steps}
        scale={shownIn}
        minimum={inUnit(minimum, shownIn)}
        maximum={inUnit(maximum, shownIn)}
        valueMs={Number(value)}
        onChange={onChange}
      />
    )
  }
  return (
    <NumberField
      {...words}
      {...steps}
      isOptional={usual === null}
      minimum={minimum}
      maximum={maximum}
      {...(unit === 'days' && { unit: t('days') })}
      value={typeof value === 'number' ? value : null}
      onChange={(number) => {
        if (number !== null || usual === null) onChange(number)
      }}
    />
  )
}

function FactorSettingField({ value, onChange, disabled, ...field }: FieldOf<'factor'>) {
  const { minimum, maximum } = field.setting
  return (
    <ShareField
      {...useWords(field)}
      minimum={minimum}
      maximum={maximum}
      disabled={disabled}
      value={Number(value)}
      onChange={onChange}
    />
  )
}

/** No word stands for `null`: the one without a value does. */
function ChoiceSettingField({ value, onChange, disabled, ...field }: FieldOf<'choice'>) {
  const t = useText()
  const { choices, unset } = field.setting
  const known = Object.entries(choices).map(([word, label]) => ({ value: word, label: t(label) }))
  return (
    <SelectField
      {...useWords(field)}
      disabled={disabled}
      value={typeof value === 'string' ? value : ''}
      choices={unset === undefined ? known : [{ value: '', label: t(unset) }, ...known]}
      onChange={(word) => onChange(word === '' ? null : word)}
    />
  )
}

function TextSettingField({ value, onChange, disabled, ...field }: FieldOf<'text'>) {
  const words = useWords(field)
  const { rows, maxLength, example, inputType, default: usual } = field.setting
  const text = {
    ...words,
    ...(example !== undefined && { placeholder: example }),
    isOptional: usual === null,
    disabled,
    value: typeof value === 'string' ? value : '',
    onChange: (typed: string) => onChange(typed === '' ? usual : typed),
  }
  if (rows !== undefined) return <TextAreaField {...text} rows={rows} className={WHOLE_ROW} />
  return (
    <TextField
      {...text}
      {...(maxLength !== undefined && { maxLength })}
      {...(inputType !== undefined && { type: inputType })}
      spellCheck={false}
    />
  )
}

function LinesSettingField({ value, onChange, disabled, ...field }: FieldOf<'lines'>) {
  const { example } = field.setting
  return (
    <LinesField
      {...useWords(field)}
      {...(example !== undefined && { placeholder: example })}
      className={WHOLE_ROW}
      isOptional
      disabled={disabled}
      value={typeof value === 'object' && value !== null ? value : []}
      onChange={onChange}
    />
  )
}

const STEP = 0.05

interface ShareFieldProps extends Omit<ComponentProps<typeof SliderField>, 'minimum' | 'maximum' | 'step' | 'print'> {
  /** 0 by default. */
  readonly minimum?: number
  /** 1 by default. */
  readonly maximum?: number
}

/** A share, or a factor of what is usual, in percent. */
function ShareField({ minimum = 0, maximum = 1, ...field }: ShareFieldProps) {
  const { percent } = useFormats()
  return <SliderField {...field} minimum={minimum} maximum={maximum} step={STEP} print={percent} />
}
