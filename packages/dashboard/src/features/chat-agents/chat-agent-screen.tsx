import type { ChatAgent } from '@parley/contract/chat-agent'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { BackLink } from '../../components/back-link.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AgentEditor } from '../../parts/agent/agent-editor.tsx'
import { chatAgents } from '../../parts/agent/chat-agents.ts'
import { chatAgentTabs } from './chat-agent-settings.tsx'
import type { ChatAgentTab } from './chat-agent-tabs.ts'

/** One agent that only writes. */
export function ChatAgentScreen() {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { agentId } = useParams({ from: '/signed-in/$workspaceId/chat-agents/$agentId' })
  const { tab = 'prompt' } = useSearch({ from: '/signed-in/$workspaceId/chat-agents/$agentId' })
  const params = { workspaceId, agentId }
  return (
    <AgentEditor<ChatAgent, ChatAgentTab>
      api={chatAgents}
      agentId={agentId}
      tab={tab}
      onTab={(chosen) =>
        void navigate({
          to: '/$workspaceId/chat-agents/$agentId',
          params,
          search: { tab: chosen },
          replace: true,
          resetScroll: false,
        })
      }
      tabsOf={(parts) => chatAgentTabs(parts, t)}
      back={
        <BackLink to="/$workspaceId/chat-agents" params={{ workspaceId }}>
          {t('Chat agents')}
        </BackLink>
      }
      versionsLink={
        <ButtonLink icon={History} to="/$workspaceId/chat-agents/$agentId/versions" params={params}>
          {t('Versions')}
        </ButtonLink>
      }
      onDeleted={() => void navigate({ to: '/$workspaceId/chat-agents', params: { workspaceId } })}
    />
  )
}
