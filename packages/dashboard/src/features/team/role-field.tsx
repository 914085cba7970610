import { MEMBER_ROLES, type MemberRole } from '@parley/contract/access'
import { SelectField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'
import { ROLE_MEANINGS, ROLE_WORDS } from './role-words.ts'

/** A role, with what it is for. */
export function RoleField({
  value,
  onChange,
}: {
  readonly value: MemberRole
  readonly onChange: (role: MemberRole) => void
}) {
  const t = useText()
  return (
    <SelectField
      label={t('Role')}
      help={t(ROLE_MEANINGS[value])}
      name="role"
      value={value}
      choices={MEMBER_ROLES.map((role) => ({ value: role, label: t(ROLE_WORDS[role]) }))}
      onChange={onChange}
    />
  )
}
