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
  member: { userId, email, name, status },
  onClose,
}: {
  readonly member: Member
  readonly onClose: () => void
}) {
  const { user } = useSession()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const remove = useWrite('removeMember', { refreshes: ['listMembers', 'getSession', 'listWorkspaces'] })
  const isOwn = userId === user.userId
  const words = useWords({ isOwn, isInvited: status === 'invited', name: name === '' ? email : name })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      {...(isOwn && { name: email })}
      title={words.title}
      consequence={words.consequence}
      label={words.label}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { workspaceId, userId } },
          {
            onSuccess: () => {
              tell(words.done)
              onClose()
              if (isOwn) void navigate({ to: '/' })
            },
          },
        )
      }
    />
  )
}

/** Questions and confirmations for a member and for an invitation. */
function useWords({ isOwn, isInvited, name }: { isOwn: boolean; isInvited: boolean; name: string }) {
  const t = useText()
  if (isInvited) {
    return {
      title: t('Revoke the invitation of {name}?', { name }),
      consequence: t('The link of the invitation stops working.'),
      label: t('Revoke invitation'),
      done: t('The invitation is revoked.'),
    }
  }
  if (isOwn) {
    return {
      title: t('Leave the workspace?'),
      consequence: t(
        'This is you: you do not reach this workspace any more, and somebody else has to invite you again. Your account is deleted if it belongs to nothing else.',
      ),
      label: t('Leave workspace'),
      done: t('You have left the workspace.'),
    }
  }
  return {
    title: t('Remove {name}?', { name }),
    consequence: t(
      'The person and their API tokens lose access to this workspace. An account that belongs to nothing else is deleted.',
    ),
    label: t('Remove member'),
    done: t('The person is no member any more.'),
  }
}
