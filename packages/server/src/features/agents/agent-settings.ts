import type { Agent } from '@parley/contract/agent'
import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { defaultsOf, givenOf, type SettingList } from '@parley/contract/agent-settings/setting'
import type { ChatAgent } from '@parley/contract/chat-agent'

/**
 * The settings of an agent version, with the defaults of its kind where its definition is older than a setting. An edit stores
 * only what it names, so that an edit of nothing changes nothing.
 */

type AgentSettings = Pick<Agent, keyof typeof AGENT_SETTINGS>
type ChatAgentSettings = Pick<ChatAgent, keyof typeof CHAT_AGENT_SETTINGS>

/** What a version of an agent with a voice may say; only `voice_id` has no default. */
export type StoredAgentSettings = Partial<AgentSettings> & Pick<Agent, 'voice_id'>
export type StoredChatAgentSettings = Partial<ChatAgentSettings>

export function agentSettings(definition: StoredAgentSettings): AgentSettings {
  return complete<AgentSettings>(AGENT_SETTINGS, definition)
}

export function chatAgentSettings(definition: StoredChatAgentSettings): ChatAgentSettings {
  return complete<ChatAgentSettings>(CHAT_AGENT_SETTINGS, definition)
}

/** Only an agent with a voice has a `voice_id`. */
export function speaks<Definition extends object>(
  definition: Definition,
): definition is Definition & StoredAgentSettings {
  return 'voice_id' in definition && definition.voice_id !== undefined
}

function complete<Settings extends AgentSettings | ChatAgentSettings>(list: SettingList, definition: object): Settings {
  const settings = { ...defaultsOf(list), ...givenOf(list, definition) } as unknown as Settings
  return { ...settings, webhook_events: [...new Set(settings.webhook_events)] }
}
