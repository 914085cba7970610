import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { BackLink } from '../../components/back-link.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AgentVersions } from '../../parts/agent/agent-versions.tsx'
import { voiceAgents } from '../../parts/agent/voice-agents.ts'

/** The versions of an agent of calls. */
export function AgentVersionsScreen() {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { agentId } = useParams({ from: '/signed-in/$workspaceId/agents/$agentId/versions' })
  const search = useSearch({ from: '/signed-in/$workspaceId/agents/$agentId/versions' })
  const params = { workspaceId, agentId }
  return (
    <AgentVersions
      api={voiceAgents}
      agentId={agentId}
      versions={usePages('listAgentVersions', { path: { agentId } })}
      search={search}
      onSearch={(chosen) =>
        void navigate({ to: '/$workspaceId/agents/$agentId/versions', params, search: chosen, replace: true })
      }
      backTo={(name) => (
        <BackLink to="/$workspaceId/agents/$agentId" params={params}>
          {name ?? t('Agent')}
        </BackLink>
      )}
    />
  )
}
