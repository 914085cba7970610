import type { ChatAgent } from '@parley/contract/chat-agent'
import type { Tab } from '../../components/tabs.tsx'
import type { Text } from '../../lib/language.ts'
import type { EditorParts } from '../../parts/agent/agent-editor.tsx'
import { AnalysisTab, commonTabs } from '../../parts/agent/common-tabs.tsx'
import { WebhookSettings } from '../../parts/agent/settings/webhook-settings.tsx'
import { CHAT_EVENTS } from '../../parts/agent/webhook-events.ts'
import type { ChatAgentTab } from './chat-agent-tabs.ts'

/** All settings of a chat agent, part by part. */
export function chatAgentTabs(parts: EditorParts<ChatAgent>, t: Text): readonly Tab<ChatAgentTab>[] {
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
