import { DeleteDialog } from '../../components/dialog.tsx'
import { useText } from '../../lib/language.ts'
import type { AgentApi, AnyAgent } from './agent-kind.ts'
import { AGENT_WORDS } from './agent-words.ts'
import { useDeleteAgent } from './agent-writes.ts'

/** Asks before an agent goes with all its versions. */
export function DeleteAgentDialog<Value extends AnyAgent>({
  api,
  agent: { agent_id: agentId, agent_name: name },
  onClose,
  onDeleted,
}: {
  readonly api: AgentApi<Value>
  readonly agent: Pick<AnyAgent, 'agent_id' | 'agent_name'>
  readonly onClose: () => void
  readonly onDeleted?: () => void
}) {
  const t = useText()
  const remove = useDeleteAgent(api)
  const words = AGENT_WORDS[api.kind]
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t(words.deleteTitle)}
      consequence={t(words.deleteConsequence)}
      name={name}
      label={t(words.deleteButton)}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(agentId, {
          onSuccess: () => {
            onClose()
            onDeleted?.()
          },
        })
      }
    />
  )
}
