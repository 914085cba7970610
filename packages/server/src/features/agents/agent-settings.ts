import type { Agent } from '@parley/contract/agent'
import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { defaultsOf, pickSettings } from '@parley/contract/agent-settings/setting'
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

/** Made once, and shared by all versions that say nothing about a setting: nobody may change a list in it. */
const AGENT_DEFAULTS = freezeValues(defaultsOf(AGENT_SETTINGS))
const CHAT_AGENT_DEFAULTS = freezeValues(defaultsOf(CHAT_AGENT_SETTINGS))

export function agentSettings(definition: StoredAgentSettings): AgentSettings {
  return complete<AgentSettings>(AGENT_DEFAULTS, pickSettings(AGENT_SETTINGS, definition))
}

export function chatAgentSettings(definition: StoredChatAgentSettings): ChatAgentSettings {
  return complete<ChatAgentSettings>(CHAT_AGENT_DEFAULTS, pickSettings(CHAT_AGENT_SETTINGS, definition))
}

/** Only an agent with a voice has a `voice_id`. */
export function speaks<Definition extends object>(
  definition: Definition,
): definition is Definition & StoredAgentSettings {
  return 'voice_id' in definition && definition.voice_id !== undefined
}

function complete<Settings extends AgentSettings | ChatAgentSettings>(defaults: object, given: object): Settings {
  const settings = { ...defaults, ...given } as Settings
  return { ...settings, webhook_events: [...new Set(settings.webhook_events)] }
}

function freezeValues<Defaults extends object>(defaults: Defaults): Defaults {
  for (const value of Object.values(defaults)) Object.freeze(value)
  return defaults
}
