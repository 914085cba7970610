import { STORED_VALUE } from '@parley/contract/secret-reference'
import { Plus, Trash2 } from 'lucide-react'
import { useText } from '../lib/language.ts'
import { Button, IconButton } from './button.tsx'
import { CONTROL_CLASS, Field, type FieldProps } from './field.tsx'

/** Renders a text area with one list item per line. */
export function LinesField({
  value,
  onChange,
  disabled,
  placeholder,
  ...field
}: Omit<FieldProps, 'children'> & {
  readonly value: readonly string[]
  readonly onChange: (value: string[]) => void
  readonly disabled?: boolean
  readonly placeholder?: string
}) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          {...control}
          dir="auto"
          rows={3}
          disabled={disabled}
          placeholder={placeholder}
          className={`${CONTROL_CLASS} field-sizing-content min-h-16`}
          value={value.join('\n')}
          onChange={(event) => onChange(event.target.value === '' ? [] : event.target.value.split('\n'))}
          onBlur={() => onChange(value.map((line) => line.trim()).filter((line) => line !== ''))}
        />
      )}
    </Field>
  )
}

export interface Pair {
  readonly name: string
  readonly value: string
}

export function toPairs(object: Readonly<Record<string, unknown>>): Pair[] {
  return Object.entries(object).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }))
}

/** Converts pairs to an object. If names are duplicated, the last pair wins. */
export function toObject(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]))
}

export function PairsField({
  label,
  help,
  name,
  value,
  onChange,
  disabled = false,
  addLabel,
}: Omit<FieldProps, 'children' | 'label'> & {
  readonly label: string
  readonly value: readonly Pair[]
  readonly onChange: (value: Pair[]) => void
  readonly disabled?: boolean
  readonly addLabel: string
}) {
  const updatePair = (index: number, changes: Partial<Pair>): void =>
    onChange(
      value.map((existingPair, pairIndex) => (pairIndex === index ? { ...existingPair, ...changes } : existingPair)),
    )
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5" data-field={name}>
      <legend className="font-medium">{label}</legend>
      {help && <p className="text-muted">{help}</p>}
      {value.map((pair, index) => (
        <PairRow
          // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while the user types.
          key={index}
          label={label}
          number={index + 1}
          pair={pair}
          disabled={disabled}
          onChange={(changes) => updatePair(index, changes)}
          onRemove={() => onChange(value.filter((_pair, pairIndex) => pairIndex !== index))}
        />
      ))}
      {!disabled && (
        <Button
          kind="quiet"
          icon={Plus}
          className="w-fit"
          onClick={() => onChange([...value, { name: '', value: '' }])}
        >
          {addLabel}
        </Button>
      )}
    </fieldset>
  )
}

interface PairRowProps {
  readonly label: string
  readonly number: number
  readonly pair: Pair
  readonly disabled: boolean
  readonly onChange: (changes: Partial<Pair>) => void
  readonly onRemove: () => void
}

function PairRow({ label, number, pair, disabled, onChange, onRemove }: PairRowProps) {
  const t = useText()
  return (
    <div className="flex flex-wrap items-center gap-2 sm:flex-nowrap">
      <input
        dir="auto"
        aria-label={t('{label}: name {number}', { label, number })}
        placeholder={t('Name')}
        className={`${CONTROL_CLASS} sm:basis-2/5`}
        disabled={disabled}
        value={pair.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      {pair.value === STORED_VALUE ? (
        <span className="flex flex-1 basis-3/5 items-center justify-between gap-2 sm:basis-auto">
          <span className="text-muted">{t('Stored')}</span>
          {!disabled && (
            <Button kind="quiet" onClick={() => onChange({ value: '' })}>
              {t('Replace')}
            </Button>
          )}
        </span>
      ) : (
        <input
          dir="auto"
          aria-label={t('{label}: value {number}', { label, number })}
          placeholder={t('Value')}
          className={`${CONTROL_CLASS} basis-3/5 sm:basis-auto flex-1`}
          disabled={disabled}
          value={pair.value}
          onChange={(event) => onChange({ value: event.target.value })}
        />
      )}
      {!disabled && <IconButton icon={Trash2} label={t('Remove')} onClick={onRemove} />}
    </div>
  )
}
