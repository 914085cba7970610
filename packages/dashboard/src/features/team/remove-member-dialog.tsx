import type { Member } from '@parley/contract/member'
import { useNavigate } from '@tanstack/react-router'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useSession } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** Asks before somebody is no member any more; for oneself the e-mail address must be typed. */
export function RemoveMemberDialog({
  member: { userId, email, name },
  onClose,
}: {
  readonly member: Member
  readonly onClose: () => void
}) {
  const t = useText()
  const { user } = useSession()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const remove = useWrite('removeMember', { refreshes: ['listMembers', 'getSession', 'listWorkspaces'] })
  const isOwn = userId === user.userId
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={isOwn ? t('Leave the workspace?') : t('Remove {name}?', { name: name === '' ? email : name })}
      consequence={
        isOwn
          ? t('This is you: you do not reach this workspace any more, and somebody else has to invite you again.')
          : t('The person does not reach this workspace any more, and neither do tokens of the person.')
      }
      {...(isOwn && { name: email })}
      label={isOwn ? t('Leave workspace') : t('Remove member')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { workspaceId, userId } },
          {
            onSuccess: () => {
              tell(isOwn ? t('You have left the workspace.') : t('The person is no member any more.'))
              onClose()
              if (isOwn) void navigate({ to: '/' })
            },
          },
        )
      }
    />
  )
}
