import type { Agent } from '@parley/contract/agent'
import { Link, useNavigate } from '@tanstack/react-router'
import { Bot } from 'lucide-react'
import type { Column } from '../../components/data-list.tsx'
import { usePages, useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useAgentColumns } from '../../parts/agent/agent-columns.tsx'
import { AgentListPage } from '../../parts/agent/agent-list-page.tsx'
import { type FigureColumns, useFigureColumns } from '../../parts/agent/figure-columns.tsx'
import { NewAgentDialog } from '../../parts/agent/new-agent/new-agent-dialog.tsx'
import { voiceAgents } from '../../parts/agent/voice-agents.ts'

/** All agents of the workspace, newest first. */
export function AgentsScreen() {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const figures = useFigureColumns<Agent>()
  const open = (agentId: string): void =>
    void navigate({ to: '/$workspaceId/agents/$agentId', params: { workspaceId, agentId } })
  return (
    <AgentListPage
      api={voiceAgents}
      pages={usePages('listAgents', {})}
      columns={useColumns(figures)}
      words={{
        title: t('Agents'),
        description: t('Who answers calls: a voice, what it knows and how it behaves.'),
        create: t('New agent'),
        emptyTitle: t('No agent yet'),
        emptyText: t('An agent answers calls and chats. Make one, and talk with it a minute later.'),
      }}
      icon={Bot}
      mayCreate={may('createAgent')}
      onOpen={open}
      dialog={(onClose) => <NewVoiceAgentDialog onClose={onClose} onCreated={open} />}
      usage={figures.usage}
    />
  )
}

/** A new agent speaks with the first voice there is, until somebody chooses another. */
function NewVoiceAgentDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void
  readonly onCreated: (agentId: string) => void
}) {
  const voices = useRead('listVoices', {})
  const voiceId = voices.data?.[0]?.voiceId ?? ''
  return (
    <NewAgentDialog
      api={voiceAgents}
      problem={voices.error}
      complete={voices.data === undefined ? null : (settings) => ({ voice_id: voiceId, ...settings })}
      onClose={onClose}
      onCreated={onCreated}
    />
  )
}

function useColumns({ calls, latency, success }: FigureColumns<Agent>): readonly Column<Agent>[] {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { name, engine, language, version, edited, actions } = useAgentColumns<Agent>({
    api: voiceAgents,
    link: ({ agent_id: agentId, agent_name: agentName }) => (
      <Link
        to="/$workspaceId/agents/$agentId"
        params={{ workspaceId, agentId }}
        className="line-clamp-2 font-medium break-words hover:underline"
      >
        {agentName === '' ? t('Without a name') : agentName}
      </Link>
    ),
  })
  const voice: Column<Agent> = {
    key: 'voice',
    title: t('Voice'),
    from: '2xl',
    width: 'w-36',
    cell: ({ voice_id: voiceId }) => <span className="block truncate">{voiceId}</span>,
  }
  return [name, engine, voice, language, calls, latency, success, version, edited, actions]
}
