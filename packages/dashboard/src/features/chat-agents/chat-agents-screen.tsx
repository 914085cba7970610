import type { ChatAgent } from '@parley/contract/chat-agent'
import { Link, useNavigate } from '@tanstack/react-router'
import { MessageSquare, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useAgentColumns } from '../../parts/agent/agent-columns.tsx'
import { useDuplicateAgent } from '../../parts/agent/agent-writes.ts'
import { chatAgents } from '../../parts/agent/chat-agents.ts'
import { type FigureColumns, useFigureColumns } from '../../parts/agent/figure-columns.tsx'
import { NewAgentDialog } from '../../parts/agent/new-agent/new-agent-dialog.tsx'

/** All chat agents of the workspace, newest first. */
export function ChatAgentsScreen() {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const pages = usePages('listChatAgents', {})
  const [isCreating, setIsCreating] = useState(false)
  const mayCreate = may('createChatAgent')
  const duplicate = useDuplicateAgent(chatAgents)
  const figures = useFigureColumns<ChatAgent>()
  useHotkeys(mayCreate ? { n: () => setIsCreating(true) } : {})
  const open = (agentId: string): void =>
    void navigate({ to: '/$workspaceId/chat-agents/$agentId', params: { workspaceId, agentId } })

  const newButton = (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New chat agent')}
    </Button>
  )
  return (
    <Page
      title={t('Chat agents')}
      description={t('Who answers chats in writing, on your site or over the API.')}
      actions={mayCreate && newButton}
    >
      {figures.problem}
      <DataList
        label={t('Chat agents')}
        pages={pages}
        columns={useColumns(figures)}
        rowKey={({ agent_id: agentId }) => agentId}
        onOpen={({ agent_id: agentId }) => open(agentId)}
        rowKeys={mayCreate ? { d: ({ agent_id: agentId }) => duplicate(agentId) } : {}}
        empty={
          <Empty icon={MessageSquare} title={t('No chat agent yet')} action={mayCreate && newButton}>
            {t('A chat agent answers in writing. Make one, and write with it a minute later.')}
          </Empty>
        }
      />
      {isCreating && (
        <NewAgentDialog
          api={chatAgents}
          complete={(settings) => settings}
          onClose={() => setIsCreating(false)}
          onCreated={open}
        />
      )}
    </Page>
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
