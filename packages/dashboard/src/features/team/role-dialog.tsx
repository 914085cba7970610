import type { Member } from '@parley/contract/member'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useSession } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { RoleField } from './role-field.tsx'

/** Gives a member another role. */
export function RoleDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const t = useText()
  const { user } = useSession()
  const workspaceId = useWorkspaceId()
  const [role, setRole] = useState(member.role)
  const update = useWrite('updateMember', { refreshes: ['listMembers', 'getSession'] })
  const isOwn = member.userId === user.userId
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Role of {name}', { name: member.name === '' ? member.email : member.name })}
      description={t('The new role holds at once.')}
      submitLabel={t('Change role')}
      isBusy={update.isPending}
      canSubmit={role !== member.role}
      problem={update.error}
      onSubmit={() =>
        update.mutate(
          { path: { workspaceId, userId: member.userId }, body: { role } },
          {
            onSuccess: () => {
              tell(t('The role is changed.'))
              onClose()
            },
          },
        )
      }
    >
      <FieldProblems details={update.error?.details ?? []}>
        <RoleField value={role} onChange={setRole} />
      </FieldProblems>
      {isOwn && role !== member.role && (
        <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          {t('This is you: you may lose the right to change it back.')}
        </p>
      )}
    </FormDialog>
  )
}
