import type { MemberRole } from '@parley/contract/access'
import type { MemberAdded } from '@parley/contract/member'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { LinkShown } from '../../parts/people/link-shown.tsx'
import { PersonFields } from '../../parts/people/person-fields.tsx'
import { NOBODY, personFields } from '../../parts/people/typed-person.ts'
import { RoleField } from './role-field.tsx'

/** Invites somebody, with a link to hand over. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const [person, setPerson] = useState(NOBODY)
  const [role, setRole] = useState<MemberRole>('editor')
  const [added, setAdded] = useState<MemberAdded | null>(null)
  const add = useWrite('addMember', { refreshes: ['listMembers'] })
  if (added !== null) {
    return (
      <LinkShown
        isInvitation
        title={t('{email} is invited', { email: added.email })}
        url={added.inviteUrl}
        expiresAt={added.inviteExpiresAt}
        onClose={onClose}
      />
    )
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Invite a person')}
      submitLabel={t('Invite')}
      isBusy={add.isPending}
      canSubmit={person.email.trim() !== ''}
      problem={add.error}
      onSubmit={() =>
        add.mutate(
          { path: { workspaceId }, body: { ...personFields(person), role } },
          { onSuccess: ({ value }) => setAdded(value) },
        )
      }
    >
      <FieldProblems details={add.error?.details ?? []}>
        <PersonFields value={person} onChange={setPerson} />
        <RoleField value={role} onChange={setRole} />
      </FieldProblems>
    </FormDialog>
  )
}
