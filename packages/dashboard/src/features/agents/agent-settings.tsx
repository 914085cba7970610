import type { Agent } from '@parley/contract/agent'
import type { Tab } from '../../components/tabs.tsx'
import type { Text } from '../../lib/language.ts'
import type { EditorParts } from '../../parts/agent/agent-editor.tsx'
import { AnalysisTab, commonTabs, TAB_CLASS } from '../../parts/agent/common-tabs.tsx'
import { HearingSettings, KeypadSettings } from '../../parts/agent/settings/hearing-settings.tsx'
import { PronunciationSettings } from '../../parts/agent/settings/pronunciation-settings.tsx'
import { AttentionSettings, SilenceSettings, TurnSettings } from '../../parts/agent/settings/turn-settings.tsx'
import { AmbientSettings, FallbackVoices, VoiceSettings } from '../../parts/agent/settings/voice-settings.tsx'
import { WebhookSettings } from '../../parts/agent/settings/webhook-settings.tsx'
import { VOICE_EVENTS } from '../../parts/agent/webhook-events.ts'
import type { AgentTab } from './agent-tabs.ts'

/** All settings of an agent of calls, part by part. */
export function agentTabs(parts: EditorParts<Agent>, t: Text): readonly Tab<AgentTab>[] {
  const { value, onChange } = parts
  const { prompt, functions, knowledge, more } = commonTabs(parts, t)
  const analysis = {
    kind: 'agent',
    items: value.post_call_analysis_data,
    model: value.post_call_analysis_model,
    onItems: (items) => onChange({ post_call_analysis_data: items }),
    onModel: (model) => onChange({ post_call_analysis_model: model }),
  } as const satisfies Parameters<typeof AnalysisTab>[0]['analysis']
  return [
    prompt,
    { name: 'voice', label: t('Voice'), content: <VoiceTab {...parts} /> },
    { name: 'speech', label: t('Speech'), content: <SpeechTab {...parts} /> },
    functions,
    knowledge,
    { name: 'analysis', label: t('Analysis'), content: <AnalysisTab {...parts} analysis={analysis} /> },
    { name: 'webhooks', label: t('Webhooks'), content: <WebhookSettings {...parts} events={VOICE_EVENTS} /> },
    more,
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
