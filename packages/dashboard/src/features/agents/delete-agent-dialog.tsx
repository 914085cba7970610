import type { Agent } from '@parley/contract/agent'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Asks before an agent goes with all its versions. */
export function DeleteAgentDialog({
  agent: { agent_id: agentId, agent_name: name },
  onClose,
  onDeleted,
}: {
  readonly agent: Pick<Agent, 'agent_id' | 'agent_name'>
  readonly onClose: () => void
  readonly onDeleted?: () => void
}) {
  const t = useText()
  const remove = useWrite('deleteAgent', { refreshes: ['listAgents', 'listNumbers'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the agent?')}
      consequence={t('All its versions go for good, and numbers lose it. Calls and chats stay on record.')}
      name={name}
      label={t('Delete agent')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { agentId } },
          {
            onSuccess: () => {
              tell(t('The agent is deleted.'))
              onClose()
              onDeleted?.()
            },
          },
        )
      }
    />
  )
}
