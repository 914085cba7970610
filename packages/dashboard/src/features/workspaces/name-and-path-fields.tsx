import { TextField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'
import type { TypedOwner } from './typed-owner.ts'

/** Name of a new provider or account, and its part of the paths. */
export function NameAndPathFields({
  pathLabel,
  value,
  onChange,
}: {
  readonly pathLabel: string
  readonly value: TypedOwner
  readonly onChange: (value: TypedOwner) => void
}) {
  const t = useText()
  return (
    <>
      <TextField
        label={t('Name')}
        name="name"
        maxLength={200}
        autoComplete="off"
        value={value.name}
        onChange={(name) => onChange({ ...value, name })}
      />
      <TextField
        label={pathLabel}
        help={t('Lower-case letters, digits and hyphens; made of the name when it is empty. It never changes.')}
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
