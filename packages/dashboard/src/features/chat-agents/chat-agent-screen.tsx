import type { ChatAgent } from '@parley/contract/chat-agent'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { BackLink } from '../../components/back-link.tsx'
import { ButtonLink } from '../../components/button.tsx'
import type { Tab } from '../../components/tabs.tsx'
import { type Text, useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AgentEditor, type EditorParts } from '../../parts/agent/agent-editor.tsx'
import { chatAgents } from '../../parts/agent/chat-agents.ts'
import { AnalysisTab, commonTabs } from '../../parts/agent/common-tabs.tsx'
import { WebhookSettings } from '../../parts/agent/settings/webhook-settings.tsx'
import { CHAT_EVENTS } from '../../parts/agent/webhook-events.ts'
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

/** All settings of a chat agent, part by part. */
function chatAgentTabs(parts: EditorParts<ChatAgent>, t: Text): readonly Tab<ChatAgentTab>[] {
  const { value, onChange } = parts
  const { prompt, functions, knowledge, more } = commonTabs(parts, t)
  const analysis = {
    kind: 'chat-agent',
    items: value.post_chat_analysis_data,
    model: value.post_chat_analysis_model,
    onItems: (items) => onChange({ post_chat_analysis_data: items }),
    onModel: (model) => onChange({ post_chat_analysis_model: model }),
  } as const satisfies Parameters<typeof AnalysisTab>[0]['analysis']
  return [
    prompt,
    functions,
    knowledge,
    { name: 'analysis', label: t('Analysis'), content: <AnalysisTab {...parts} analysis={analysis} /> },
    { name: 'webhooks', label: t('Webhooks'), content: <WebhookSettings {...parts} events={CHAT_EVENTS} /> },
    more,
  ]
}
