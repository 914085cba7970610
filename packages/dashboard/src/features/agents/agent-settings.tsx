import type { Agent } from '@parley/contract/agent'
import type { SettingTab } from '@parley/contract/agent-settings/setting-groups'
import type { Tab } from '../../components/tabs.tsx'
import type { Text } from '../../lib/language.ts'
import { commonTabs, settingsTab } from '../../parts/agent/common-tabs.tsx'
import type { EditorParts } from '../../parts/agent/editor-parts.ts'
import { AgentSettings } from '../../parts/agent/settings/agent-settings.tsx'
import type { AgentTab } from './agent-tabs.ts'

/** All settings of an agent of calls, tab by tab. */
export function agentTabs(editor: EditorParts<Agent>, t: Text): readonly Tab<AgentTab>[] {
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
