import { CONTROL_CLASS, Field } from '../../components/field.tsx'
import { parseColour } from '../../lib/brand/colours.ts'
import { useText } from '../../lib/language.ts'
import type { BrandFieldProps } from './brand-field.ts'

/** A colour, by the picker of the browser or as `#rrggbb`; empty is inherited. */
export function ColourField({ label, help, name, value, inherited, onChange }: BrandFieldProps<string>) {
  const t = useText()
  const shown = value !== null && parseColour(value) !== null ? value : inherited
  return (
    <Field label={label} help={help} name={name}>
      {(control) => (
        <span className="flex items-center gap-2">
          <input
            type="color"
            aria-label={t('Choose: {name}', { name: label })}
            className="h-9 w-12 shrink-0 rounded-md border border-line-strong bg-panel p-1"
            value={shown.toLowerCase()}
            onChange={(event) => onChange(event.target.value)}
          />
          <input
            {...control}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            maxLength={7}
            placeholder={inherited}
            className={`${CONTROL_CLASS} font-mono`}
            value={value ?? ''}
            onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
          />
        </span>
      )}
    </Field>
  )
}
