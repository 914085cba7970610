import type { ChatAgent } from '@parley/contract/chat-agent'
import { Link, useNavigate } from '@tanstack/react-router'
import { MessageSquare } from 'lucide-react'
import type { Column } from '../../components/data-list.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useAgentColumns } from '../../parts/agent/agent-columns.tsx'
import { AgentListPage } from '../../parts/agent/agent-list-page.tsx'
import { chatAgents } from '../../parts/agent/chat-agents.ts'
import { type FigureColumns, useFigureColumns } from '../../parts/agent/figure-columns.tsx'
import { NewAgentDialog } from '../../parts/agent/new-agent/new-agent-dialog.tsx'

/** All chat agents of the workspace, newest first. */
export function ChatAgentsScreen() {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const figures = useFigureColumns<ChatAgent>()
  const open = (agentId: string): void =>
    void navigate({ to: '/$workspaceId/chat-agents/$agentId', params: { workspaceId, agentId } })
  return (
    <AgentListPage
      api={chatAgents}
      pages={usePages('listChatAgents', {})}
      columns={useColumns(figures)}
      words={{
        title: t('Chat agents'),
        description: t('Who answers chats in writing, on your site or over the API.'),
        create: t('New chat agent'),
        emptyTitle: t('No chat agent yet'),
        emptyText: t('A chat agent answers in writing. Make one, and write with it a minute later.'),
      }}
      icon={MessageSquare}
      mayCreate={may('createChatAgent')}
      onOpen={open}
      dialog={(onClose) => (
        <NewAgentDialog api={chatAgents} complete={(settings) => settings} onClose={onClose} onCreated={open} />
      )}
      usage={figures.usage}
    />
  )
}

function useColumns({ chats, latency }: FigureColumns<ChatAgent>): readonly Column<ChatAgent>[] {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { name, engine, language, version, edited, actions } = useAgentColumns<ChatAgent>({
    api: chatAgents,
    link: ({ agent_id: agentId, agent_name: agentName }) => (
      <Link
        to="/$workspaceId/chat-agents/$agentId"
        params={{ workspaceId, agentId }}
        className="line-clamp-2 font-medium break-words hover:underline"
      >
        {agentName === '' ? t('Without a name') : agentName}
      </Link>
    ),
  })
  return [name, engine, language, chats, latency, version, edited, actions]
}
