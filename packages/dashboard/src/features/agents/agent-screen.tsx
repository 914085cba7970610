import type { Agent } from '@parley/contract/agent'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { BackLink } from '../../components/back-link.tsx'
import { ButtonLink } from '../../components/button.tsx'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AgentEditor } from '../../parts/agent/agent-editor.tsx'
import { voiceAgents } from '../../parts/agent/voice-agents.ts'
import { agentTabs } from './agent-settings.tsx'
import type { AgentTab } from './agent-tabs.ts'

/** One agent of calls. */
export function AgentScreen() {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { agentId } = useParams({ from: '/signed-in/$workspaceId/agents/$agentId' })
  const { tab = 'prompt' } = useSearch({ from: '/signed-in/$workspaceId/agents/$agentId' })
  const params = { workspaceId, agentId }
  return (
    <AgentEditor<Agent, AgentTab>
      api={voiceAgents}
      agentId={agentId}
      tab={tab}
      onTab={(chosen) =>
        void navigate({
          to: '/$workspaceId/agents/$agentId',
          params,
          search: { tab: chosen },
          replace: true,
          resetScroll: false,
        })
      }
      tabsOf={(parts) => agentTabs(parts, t)}
      back={
        <BackLink to="/$workspaceId/agents" params={{ workspaceId }}>
          {t('Agents')}
        </BackLink>
      }
      versionsLink={
        <ButtonLink icon={History} to="/$workspaceId/agents/$agentId/versions" params={params}>
          {t('Versions')}
        </ButtonLink>
      }
      onDeleted={() => void navigate({ to: '/$workspaceId/agents', params: { workspaceId } })}
    />
  )
}
