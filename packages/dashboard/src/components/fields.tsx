import { clsx } from 'clsx'
import { ChevronsUpDown } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId, useState } from 'react'
import { CONTROL_CLASS, Field, type FieldProps } from './field.tsx'

type FieldOptions = Omit<FieldProps, 'children'>

interface ValueProps<Value> {
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly disabled?: boolean
}

type InputProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'placeholder' | 'autoComplete' | 'autoFocus' | 'maxLength' | 'required' | 'inputMode' | 'spellCheck' | 'list'
>

/** Separates the field's props from the control's props. */
function splitProps<Props extends FieldOptions>(props: Props) {
  const { label, help, helpPosition, name, error, isOptional, className, ...control } = props
  const field = { label, help, helpPosition, name, error, isOptional, className } as FieldOptions
  return { field, control }
}

export function TextField(props: FieldOptions & ValueProps<string> & InputProps) {
  const { field, control: rest } = splitProps(props)
  const { value, onChange, ...inputProps } = rest
  return (
    <Field {...field}>
      {(control) => (
        <input
          dir="auto"
          {...control}
          {...inputProps}
          className={CONTROL_CLASS}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

type TextAreaProps = Pick<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  'placeholder' | 'rows' | 'autoFocus' | 'spellCheck'
>

export function TextAreaField(props: FieldOptions & ValueProps<string> & TextAreaProps) {
  const { field, control: rest } = splitProps(props)
  const { value, onChange, ...textAreaProps } = rest
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          dir="auto"
          rows={4}
          {...control}
          {...textAreaProps}
          className={clsx(CONTROL_CLASS, 'field-sizing-content max-h-[70vh] min-h-20 resize-y')}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface NumberProps extends FieldOptions, ValueProps<number | null> {
  readonly minimum?: number
  readonly maximum?: number
  readonly step?: number
  /** Displayed after the field, such as `ms`. */
  readonly unit?: string
  readonly placeholder?: string
}

/** Renders a number field. An incomplete number stays in the field until the field loses focus. */
export function NumberField(props: NumberProps) {
  const { value, onChange, disabled, minimum, maximum, step = 1, unit, placeholder } = props
  const [inputText, setInputText] = useState<string | null>(null)
  return (
    <Field {...splitProps(props).field}>
      {(control) => (
        <span className="flex items-center gap-2">
          <input
            {...control}
            type="number"
            className={clsx(CONTROL_CLASS, 'max-w-40 text-end tabular-nums')}
            value={inputText ?? value ?? ''}
            min={minimum}
            max={maximum}
            step={step}
            disabled={disabled}
            placeholder={placeholder}
            onChange={({ target }) => {
              setInputText(target.value)
              if (target.value === '') onChange(null)
              else if (Number.isFinite(target.valueAsNumber)) onChange(target.valueAsNumber)
            }}
            onBlur={() => setInputText(null)}
          />
          {unit && <span className="text-muted">{unit}</span>}
        </span>
      )}
    </Field>
  )
}

export interface Choice<Value extends string = string> {
  readonly value: Value
  readonly label: string
}

interface SelectProps<Value extends string> extends FieldOptions, ValueProps<Value> {
  readonly choices: readonly Choice<Value>[]
}

/** Renders a select for a few fixed choices. Use `RecordField` for records. */
export function SelectField<Value extends string>(props: SelectProps<Value>) {
  const { value, onChange, disabled, choices } = props
  const isKnown = choices.some((choice) => choice.value === value)
  return (
    <Field {...splitProps(props).field}>
      {(control) => (
        <span className="relative">
          <select
            {...control}
            className={clsx(CONTROL_CLASS, 'select appearance-none truncate pe-8')}
            value={value}
            disabled={disabled}
            onChange={(event) => onChange(event.target.value as Value)}
          >
            {!isKnown && <option value={value}>{value}</option>}
            {choices.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.label}
              </option>
            ))}
          </select>
          <ChevronsUpDown
            aria-hidden="true"
            className="pointer-events-none absolute end-2.5 top-1/2 size-4 -translate-y-1/2 text-muted"
          />
        </span>
      )}
    </Field>
  )
}

interface SliderProps extends FieldOptions, ValueProps<number> {
  readonly minimum: number
  readonly maximum: number
  readonly step: number
  /** Formats the value next to the slider. */
  readonly format?: (value: number) => string
}

export function SliderField(props: SliderProps) {
  const { value, onChange, disabled, minimum, maximum, step, format = String } = props
  return (
    <Field {...splitProps(props).field}>
      {(control) => (
        <span className="flex items-center gap-3">
          <input
            {...control}
            type="range"
            className="h-9 min-w-0 flex-1 accent-brand-text"
            value={value}
            min={minimum}
            max={maximum}
            step={step}
            disabled={disabled}
            aria-valuetext={format(value)}
            onChange={(event) => onChange(event.target.valueAsNumber)}
          />
          <output className="w-16 shrink-0 text-end tabular-nums">{format(value)}</output>
        </span>
      )}
    </Field>
  )
}

export function SwitchField(props: FieldOptions & ValueProps<boolean>) {
  const { label, help, value, onChange, disabled, className } = props
  const id = useId()
  return (
    <div className={clsx('flex items-start gap-3', className)}>
      <button
        type="button"
        role="switch"
        id={id}
        aria-checked={value}
        onClick={() => onChange(!value)}
        disabled={disabled === true}
        aria-describedby={help ? `${id}-help` : undefined}
        className="group mt-0.5 h-5 w-9 shrink-0 rounded-full border border-line-strong bg-sunken aria-checked:border-brand-text aria-checked:bg-brand-text"
      >
        <span className="block size-3.5 translate-x-0.5 rounded-full bg-line-strong transition-transform group-aria-checked:translate-x-4.5 group-aria-checked:bg-panel rtl:-translate-x-0.5 rtl:group-aria-checked:-translate-x-4.5" />
      </button>
      <div className="flex min-w-0 flex-col gap-1">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {help && (
          <p id={`${id}-help`} className="text-muted">
            {help}
          </p>
        )}
      </div>
    </div>
  )
}

export function CheckField({ label, value, onChange, disabled }: { readonly label: ReactNode } & ValueProps<boolean>) {
  return (
    <label className="flex min-h-8 items-center gap-2">
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-brand-text"
        checked={value}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span dir="auto" className="min-w-0">
        {label}
      </span>
    </label>
  )
}
