import { Copy, Download, Ellipsis, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import type { AgentApi, AnyAgent } from './agent-kind.ts'
import { useDuplicateAgent } from './agent-writes.ts'
import { DeleteAgentDialog } from './delete-agent-dialog.tsx'
import { useExportAgent } from './export-agent.ts'

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
