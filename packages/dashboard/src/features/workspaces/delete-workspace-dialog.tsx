import type { Workspace } from '@parley/contract/workspace'
import { useNavigate } from '@tanstack/react-router'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** Asks before a workspace goes with everything in it. The server refuses while calls are live. */
export function DeleteWorkspaceDialog({
  workspace: { id, name },
  onClose,
}: {
  readonly workspace: Workspace
  readonly onClose: () => void
}) {
  const t = useText()
  const navigate = useNavigate()
  const current = useWorkspaceId()
  const remove = useWrite('deleteWorkspace', { refreshes: ['listWorkspaces', 'getSession'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the workspace?')}
      consequence={t(
        'Everything in it goes for good: agents, calls, chats, recordings, numbers, members and secrets. It is refused while calls are live.',
      )}
      name={name}
      label={t('Delete workspace')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { workspaceId: id } },
          {
            onSuccess: () => {
              tell(t('The workspace is deleted.'))
              onClose()
              if (id === current) void navigate({ to: '/' })
            },
          },
        )
      }
    />
  )
}
