import { Copy, Download, Ellipsis, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { complain } from '../../components/toasts.tsx'
import { Problem } from '../../lib/api/problem.ts'
import { request } from '../../lib/api/request.ts'
import { keepFile } from '../../lib/keep-file.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { agentFileName, printAgentFile } from './agent-file.ts'
import type { AgentApi, AnyAgent } from './agent-kind.ts'
import { useDuplicateAgent } from './agent-writes.ts'
import { DeleteAgentDialog } from './delete-agent-dialog.tsx'
import { llmIdOf } from './engine.ts'

/** What else can be done with an agent. */
export function AgentMenu<Value extends AnyAgent>({
  api,
  agent,
  onDeleted,
}: {
  readonly api: AgentApi<Value>
  readonly agent: Value
  readonly onDeleted?: () => void
}) {
  const t = useText()
  const may = useMay()
  const duplicate = useDuplicateAgent(api)
  const exportAgent = useExportAgent(api)
  const [isDeleting, setIsDeleting] = useState(false)
  const { agent_id: agentId, agent_name: name } = agent
  const items: readonly MenuItem[] = [
    ...(may(api.operations.create) ? [{ label: t('Duplicate'), icon: Copy, onSelect: () => duplicate(agentId) }] : []),
    { label: t('Export JSON'), icon: Download, onSelect: () => void exportAgent(agentId) },
    ...(may(api.operations.remove)
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => setIsDeleting(true) }]
      : []),
  ]
  return (
    <>
      <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name })} />} />
      {isDeleting && (
        <DeleteAgentDialog
          api={api}
          agent={agent}
          onClose={() => setIsDeleting(false)}
          {...(onDeleted && { onDeleted })}
        />
      )}
    </>
  )
}

/** Downloads an agent with what it answers with, as the server has them. */
function useExportAgent<Value extends AnyAgent>(api: AgentApi<Value>): (agentId: string) => Promise<void> {
  const workspaceId = useWorkspaceId()
  return async (agentId) => {
    try {
      const { value: agent } = await api.read({ workspaceId, agentId }, 'latest')
      const llmId = llmIdOf(agent.response_engine)
      const version = String(agent.response_engine.version ?? 'latest')
      const llm = llmId === null ? null : await request('getLlm', { path: { llmId }, query: { workspaceId, version } })
      keepFile(agentFileName(agent), printAgentFile(api.kind, { agent, llm: llm?.value ?? null }), 'application/json')
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      complain(error.message)
    }
  }
}
