import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { BackLink } from '../../components/back-link.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AgentVersions } from '../../parts/agent/agent-versions.tsx'
import { chatAgents } from '../../parts/agent/chat-agents.ts'

/** The versions of a chat agent. */
export function ChatAgentVersionsScreen() {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { agentId } = useParams({ from: '/signed-in/$workspaceId/chat-agents/$agentId/versions' })
  const search = useSearch({ from: '/signed-in/$workspaceId/chat-agents/$agentId/versions' })
  const params = { workspaceId, agentId }
  return (
    <AgentVersions
      api={chatAgents}
      agentId={agentId}
      versions={usePages('listChatAgentVersions', { path: { agentId } })}
      search={search}
      onSearch={(chosen) =>
        void navigate({ to: '/$workspaceId/chat-agents/$agentId/versions', params, search: chosen, replace: true })
      }
      backTo={(name) => (
        <BackLink to="/$workspaceId/chat-agents/$agentId" params={params}>
          {name ?? t('Chat agent')}
        </BackLink>
      )}
    />
  )
}
