import { MEMBER_ROLES, type MemberRole } from '@parley/contract/access'
import { SelectField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'
import { MEMBER_WORDS } from '../../parts/people/role-words.ts'
import { ROLE_MEANINGS } from './role-words.ts'

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
      choices={MEMBER_ROLES.map((role) => ({ value: role, label: t(MEMBER_WORDS[role]) }))}
      onChange={onChange}
    />
  )
}
