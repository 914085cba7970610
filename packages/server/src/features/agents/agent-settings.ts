import type { Agent } from '@parley/contract/agent'
import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { defaultsOf, pickSettings } from '@parley/contract/agent-settings/setting'
import type { ChatAgent } from '@parley/contract/chat-agent'

/**
 * The settings of an agent version, with defaults for settings that its definition predates. An edit stores only the
 * fields it names, so an empty edit changes nothing.
 */

type AgentSettings = Pick<Agent, keyof typeof AGENT_SETTINGS>
type ChatAgentSettings = Pick<ChatAgent, keyof typeof CHAT_AGENT_SETTINGS>

/** Stored settings of a voice agent; only `voice_id` has no default. */
export type StoredAgentSettings = Partial<AgentSettings> & Pick<Agent, 'voice_id'>
export type StoredChatAgentSettings = Partial<ChatAgentSettings>

/** Shared by all versions that omit a setting, and therefore frozen. */
const AGENT_DEFAULTS = freezeValues(defaultsOf(AGENT_SETTINGS))
const CHAT_AGENT_DEFAULTS = freezeValues(defaultsOf(CHAT_AGENT_SETTINGS))

export function agentSettings(definition: StoredAgentSettings): AgentSettings {
  return complete<AgentSettings>(AGENT_DEFAULTS, pickSettings(AGENT_SETTINGS, definition))
}

export function chatAgentSettings(definition: StoredChatAgentSettings): ChatAgentSettings {
  return complete<ChatAgentSettings>(CHAT_AGENT_DEFAULTS, pickSettings(CHAT_AGENT_SETTINGS, definition))
}

/** Only a voice agent has a `voice_id`. */
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
