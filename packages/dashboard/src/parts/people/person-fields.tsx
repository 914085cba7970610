import { TextField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'
import type { PersonInput } from './person-input.ts'

export interface PersonFieldsProps {
  readonly value: PersonInput
  readonly onChange: (value: PersonInput) => void
}

export function PersonFields({ value, onChange }: PersonFieldsProps) {
  const t = useText()
  return (
    <>
      <TextField
        label={t('Email address')}
        name="email"
        type="email"
        autoComplete="off"
        value={value.email}
        onChange={(email) => onChange({ ...value, email })}
      />
      <TextField
        label={t('Name')}
        help={t('Ignored if the person already has an account.')}
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
