import type { SettingTab } from '@parley/contract/agent-settings/setting-groups'
import type { ChatAgent } from '@parley/contract/chat-agent'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { BackLink } from '../../components/back-link.tsx'
import { ButtonLink } from '../../components/button.tsx'
import type { Tab } from '../../components/tabs.tsx'
import { type Text, useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AgentEditor } from '../../parts/agent/agent-editor.tsx'
import { chatAgents } from '../../parts/agent/chat-agents.ts'
import { commonTabs } from '../../parts/agent/common-tabs.tsx'
import type { EditorParts } from '../../parts/agent/editor-parts.ts'
import { ChatAgentSettings } from '../../parts/agent/settings/agent-settings.tsx'
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

/** All settings of a chat agent, tab by tab. */
function chatAgentTabs(editor: EditorParts<ChatAgent>, t: Text): readonly Tab<ChatAgentTab>[] {
  const { value, onChange, disabled } = editor
  const settingsOf = (tab: SettingTab) => <ChatAgentSettings tab={tab} {...{ value, onChange, disabled }} />
  const { prompt, functions, knowledge, analysis, webhooks, more } = commonTabs({ ...editor, settingsOf }, t)
  return [prompt, functions, knowledge, analysis, webhooks, more]
}
