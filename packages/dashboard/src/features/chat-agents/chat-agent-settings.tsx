import type { ChatAgent } from '@parley/contract/chat-agent'
import type { Tab } from '../../components/tabs.tsx'
import type { Text } from '../../lib/language.ts'
import type { EditorParts } from '../../parts/agent/agent-editor.tsx'
import { LlmTab, PromptTab, TAB_CLASS } from '../../parts/agent/common-tabs.tsx'
import { AnalysisSettings } from '../../parts/agent/settings/analysis-settings.tsx'
import { FallbackSettings } from '../../parts/agent/settings/fallback-settings.tsx'
import { ChatEndSettings, StorageSettings } from '../../parts/agent/settings/storage-settings.tsx'
import { WebhookSettings } from '../../parts/agent/settings/webhook-settings.tsx'
import { CHAT_EVENTS } from '../../parts/agent/webhook-events.ts'
import { KnowledgeSettings } from '../../parts/llm/knowledge-settings.tsx'
import { ToolSettings } from '../../parts/llm/tool-settings.tsx'
import type { ChatAgentTab } from './chat-agent-tabs.ts'

/** All settings of a chat agent, part by part. */
export function chatAgentTabs(parts: EditorParts<ChatAgent>, t: Text): readonly Tab<ChatAgentTab>[] {
  return [
    { name: 'prompt', label: t('Prompt'), content: <PromptTab {...parts} /> },
    {
      name: 'functions',
      label: t('Functions'),
      content: <LlmTab parts={parts}>{(llm) => <ToolSettings {...llm} />}</LlmTab>,
    },
    {
      name: 'knowledge',
      label: t('Knowledge'),
      content: <LlmTab parts={parts}>{(llm) => <KnowledgeSettings {...llm} />}</LlmTab>,
    },
    { name: 'analysis', label: t('Analysis'), content: <AnalysisTab {...parts} /> },
    { name: 'webhooks', label: t('Webhooks'), content: <WebhookSettings {...parts} events={CHAT_EVENTS} /> },
    { name: 'more', label: t('More'), content: <MoreTab {...parts} /> },
  ]
}

function AnalysisTab(parts: EditorParts<ChatAgent>) {
  const { value, onChange, disabled } = parts
  return (
    <div className={TAB_CLASS}>
      <AnalysisSettings
        kind="chat-agent"
        items={value.post_chat_analysis_data}
        model={value.post_chat_analysis_model}
        onItems={(items) => onChange({ post_chat_analysis_data: items })}
        onModel={(model) => onChange({ post_chat_analysis_model: model })}
        disabled={disabled}
      />
      <StorageSettings {...parts} />
    </div>
  )
}

function MoreTab(parts: EditorParts<ChatAgent>) {
  return (
    <div className={TAB_CLASS}>
      <FallbackSettings {...parts} />
      <ChatEndSettings {...parts} />
    </div>
  )
}
