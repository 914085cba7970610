import type { Agent } from '@parley/contract/agent'
import type { SettingTab } from '@parley/contract/agent-settings/setting-groups'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { BackLink } from '../../components/back-link.tsx'
import { ButtonLink } from '../../components/button.tsx'
import type { Tab } from '../../components/tabs.tsx'
import { type Text, useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AgentEditor } from '../../parts/agent/agent-editor.tsx'
import { commonTabs, settingsTab } from '../../parts/agent/common-tabs.tsx'
import type { EditorParts } from '../../parts/agent/editor-parts.ts'
import { AgentSettings } from '../../parts/agent/settings/agent-settings.tsx'
import { voiceAgents } from '../../parts/agent/voice-agents.ts'
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

/** All settings of an agent of calls, tab by tab. */
function agentTabs(editor: EditorParts<Agent>, t: Text): readonly Tab<AgentTab>[] {
  const { value, onChange, disabled } = editor
  const settingsOf = (tab: SettingTab) => <AgentSettings tab={tab} {...{ value, onChange, disabled }} />
  const parts = { ...editor, settingsOf }
  const { prompt, functions, knowledge, analysis, webhooks, more } = commonTabs(parts, t)
  return [
    prompt,
    settingsTab(parts, 'voice', t('Voice')),
    settingsTab(parts, 'speech', t('Speech')),
    functions,
    knowledge,
    analysis,
    webhooks,
    more,
  ]
}
