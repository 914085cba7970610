import { NumberField, TextField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'

const MAX_PERCENT = 1_000

/** The name and path entered for a new provider or account. */
export interface OwnerInput {
  readonly name: string
  readonly slug: string
}

export const EMPTY_OWNER: OwnerInput = { name: '', slug: '' }

/** Converts the input to request fields. If the slug is null, the server derives it from the name. */
export function toOwnerFields({ name, slug }: OwnerInput): { readonly name: string; readonly slug: string | null } {
  return { name, slug: slug.trim() || null }
}

interface NameFieldProps {
  readonly value: string
  readonly onChange: (name: string) => void
}

export function NameField(props: NameFieldProps) {
  const t = useText()
  return <TextField label={t('Name')} name="name" maxLength={200} autoComplete="off" {...props} />
}

interface NameAndPathFieldsProps {
  readonly value: OwnerInput
  readonly onChange: (value: OwnerInput) => void
}

export function NameAndPathFields({ value, onChange }: NameAndPathFieldsProps) {
  const t = useText()
  return (
    <>
      <NameField value={value.name} onChange={(name) => onChange({ ...value, name })} />
      <TextField
        label={t('Path')}
        help={t(
          'Lowercase letters, digits and hyphens. Leave empty to derive the path from the name. The path cannot be changed later.',
        )}
        name="slug"
        isOptional
        autoComplete="off"
        spellCheck={false}
        value={value.slug}
        onChange={(slug) => onChange({ ...value, slug })}
      />
    </>
  )
}

interface MarkupPercentFieldProps {
  readonly value: number | null
  readonly onChange: (percent: number | null) => void
}

export function MarkupPercentField(props: MarkupPercentFieldProps) {
  const t = useText()
  return (
    <NumberField
      label={t('Markup')}
      help={t('Added to the cost of its accounts’ new conversations.')}
      name="markupPercent"
      unit="%"
      minimum={0}
      maximum={MAX_PERCENT}
      step={0.1}
      {...props}
    />
  )
}
