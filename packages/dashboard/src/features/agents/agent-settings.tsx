import type { Agent } from '@parley/contract/agent'
import type { Tab } from '../../components/tabs.tsx'
import type { Text } from '../../lib/language.ts'
import type { EditorParts } from '../../parts/agent/agent-editor.tsx'
import { LlmTab, PromptTab, TAB_CLASS } from '../../parts/agent/common-tabs.tsx'
import { AnalysisSettings } from '../../parts/agent/settings/analysis-settings.tsx'
import { FallbackSettings } from '../../parts/agent/settings/fallback-settings.tsx'
import { HearingSettings, KeypadSettings } from '../../parts/agent/settings/hearing-settings.tsx'
import { PronunciationSettings } from '../../parts/agent/settings/pronunciation-settings.tsx'
import { ChatEndSettings, StorageSettings } from '../../parts/agent/settings/storage-settings.tsx'
import { AttentionSettings, SilenceSettings, TurnSettings } from '../../parts/agent/settings/turn-settings.tsx'
import { AmbientSettings, FallbackVoices, VoiceSettings } from '../../parts/agent/settings/voice-settings.tsx'
import { WebhookSettings } from '../../parts/agent/settings/webhook-settings.tsx'
import { VOICE_EVENTS } from '../../parts/agent/webhook-events.ts'
import { KnowledgeSettings } from '../../parts/llm/knowledge-settings.tsx'
import { ToolSettings } from '../../parts/llm/tool-settings.tsx'
import type { AgentTab } from './agent-tabs.ts'

/** All settings of an agent of calls, part by part. */
export function agentTabs(parts: EditorParts<Agent>, t: Text): readonly Tab<AgentTab>[] {
  return [
    { name: 'prompt', label: t('Prompt'), content: <PromptTab {...parts} /> },
    { name: 'voice', label: t('Voice'), content: <VoiceTab {...parts} /> },
    { name: 'speech', label: t('Speech'), content: <SpeechTab {...parts} /> },
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
    { name: 'webhooks', label: t('Webhooks'), content: <WebhookSettings {...parts} events={VOICE_EVENTS} /> },
    { name: 'more', label: t('More'), content: <MoreTab {...parts} /> },
  ]
}

function VoiceTab(parts: EditorParts<Agent>) {
  return (
    <div className={TAB_CLASS}>
      <VoiceSettings {...parts} />
      <FallbackVoices {...parts} />
      <AmbientSettings {...parts} />
    </div>
  )
}

function SpeechTab(parts: EditorParts<Agent>) {
  return (
    <div className={TAB_CLASS}>
      <TurnSettings {...parts} />
      <AttentionSettings {...parts} />
      <SilenceSettings {...parts} />
      <HearingSettings {...parts} />
      <PronunciationSettings {...parts} />
      <KeypadSettings {...parts} />
    </div>
  )
}

function AnalysisTab(parts: EditorParts<Agent>) {
  const { value, onChange, disabled } = parts
  return (
    <div className={TAB_CLASS}>
      <AnalysisSettings
        kind="agent"
        items={value.post_call_analysis_data}
        model={value.post_call_analysis_model}
        onItems={(items) => onChange({ post_call_analysis_data: items })}
        onModel={(model) => onChange({ post_call_analysis_model: model })}
        disabled={disabled}
      />
      <StorageSettings {...parts} />
    </div>
  )
}

function MoreTab(parts: EditorParts<Agent>) {
  return (
    <div className={TAB_CLASS}>
      <FallbackSettings {...parts} />
      <ChatEndSettings {...parts} />
    </div>
  )
}
