import { TextField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'
import type { TypedPerson } from './typed-person.ts'

/** Address and name of somebody to be added. */
export function PersonFields({
  value,
  onChange,
}: {
  readonly value: TypedPerson
  readonly onChange: (value: TypedPerson) => void
}) {
  const t = useText()
  return (
    <>
      <TextField
        label={t('E-mail address')}
        name="email"
        type="email"
        autoComplete="off"
        value={value.email}
        onChange={(email) => onChange({ ...value, email })}
      />
      <TextField
        label={t('Name')}
        help={t('Who has an account already keeps its name.')}
        name="name"
        isOptional
        maxLength={200}
        autoComplete="off"
        value={value.name}
        onChange={(name) => onChange({ ...value, name })}
      />
    </>
  )
}
