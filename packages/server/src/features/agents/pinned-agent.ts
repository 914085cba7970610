import type { PiiCategory } from '@parley/contract/after-conversation'
import type { Agent } from '@parley/contract/agent'
import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type {
  CONVERSATION_SETTINGS,
  POST_CONVERSATION_SETTINGS,
} from '@parley/contract/agent-settings/conversation-settings'
import type { CALL_OUTCOME_SETTINGS } from '@parley/contract/agent-settings/outcome-settings'
import { copyDefaults, type OptionsOf, pickSettings } from '@parley/contract/agent-settings/setting'
import type { ChatAgent } from '@parley/contract/chat-agent'
import type { VersionSelector } from '@parley/contract/fields'
import type { ResponseEngine } from '@parley/engine/dialogue/conversation'
import type { AgentVoiceSettings } from '@parley/engine/voice/turn-settings'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { AgentWebhook } from '../webhooks/public.ts'

type AgentSettings = Pick<Agent, keyof typeof AGENT_SETTINGS>
type ChatAgentSettings = Pick<ChatAgent, keyof typeof CHAT_AGENT_SETTINGS>

/** A voice agent's stored settings. Only `voice_id` has no default. */
export type StoredAgentSettings = Partial<AgentSettings> & Pick<Agent, 'voice_id'>
export type StoredChatAgentSettings = Partial<ChatAgentSettings>

/** Default values. Frozen, because all versions share them. */
const AGENT_DEFAULTS = freezeValues(copyDefaults(AGENT_SETTINGS))
const CHAT_AGENT_DEFAULTS = freezeValues(copyDefaults(CHAT_AGENT_SETTINGS))

export function completeAgentSettings(definition: StoredAgentSettings): AgentSettings {
  return fillDefaults<AgentSettings>(AGENT_DEFAULTS, pickSettings(AGENT_SETTINGS, definition))
}

export function completeChatAgentSettings(definition: StoredChatAgentSettings): ChatAgentSettings {
  return fillDefaults<ChatAgentSettings>(CHAT_AGENT_DEFAULTS, pickSettings(CHAT_AGENT_SETTINGS, definition))
}

/** Whether the definition belongs to a voice agent. Only voice agents have a `voice_id`. */
export function isVoiceAgent<Definition extends object>(
  definition: Definition,
): definition is Definition & StoredAgentSettings {
  return 'voice_id' in definition && definition.voice_id !== undefined
}

function fillDefaults<Settings extends AgentSettings | ChatAgentSettings>(defaults: object, stored: object): Settings {
  const settings = { ...defaults, ...stored } as Settings
  return { ...settings, webhook_events: [...new Set(settings.webhook_events)] }
}

function freezeValues<Defaults extends object>(defaults: Defaults): Defaults {
  for (const value of Object.values(defaults)) Object.freeze(value)
  return defaults
}

/** The agent and engine version that a conversation keeps until it ends. */
export interface AgentPin {
  readonly agentId: string
  readonly agentVersion: number
  readonly agentName: string
  readonly engineKind: string
  /** Null for external engines. */
  readonly engineId: string | null
  readonly engineVersion: number | null
}

export interface PinnedAgent extends OptionsOf<typeof CONVERSATION_SETTINGS, Agent> {
  readonly agentId: string
  readonly agentVersion: number
  readonly engine: ResponseEngine
  readonly webhook: AgentWebhook
  readonly postProcessing: PostProcessingSettings
  /** Call settings; `null` for a chat-only agent. */
  readonly voice: AgentVoiceSettings | null
}

/** Settings for the post-processing of a conversation. */
export interface PostProcessingSettings
  extends OptionsOf<typeof POST_CONVERSATION_SETTINGS, Agent>,
    OptionsOf<typeof CALL_OUTCOME_SETTINGS, Agent> {
  /** Categories of personal data to redact if `storage` requires redaction. */
  readonly piiCategories: readonly PiiCategory[]
}

/** Lets conversations use agents and chat agents, distinguished by id. */
export interface AgentResolver {
  /**
   * Selects the version and freezes it together with its engine version, in the transaction that starts the conversation.
   * Throws `not_found`, or `engine_unavailable` if the engine no longer exists.
   */
  pin(
    transaction: Transaction,
    request: { workspaceId: number; agentId: string; version: VersionSelector; now: number },
  ): Promise<AgentPin>
  /**
   * Loads a pinned agent, which may be cached because it never changes. Throws `not_found` if the agent was deleted.
   */
  load(pin: StoredPin, reader?: Reader): Promise<PinnedAgent>
  /** Loads a version or draft for a preview, without freezing or caching it. Throws `not_found`. */
  preview(request: {
    readonly workspaceId: number
    readonly agentId: string
    readonly version: VersionSelector
  }): Promise<PinnedAgent>
}

export type StoredPin = Pick<AgentPin, 'agentId' | 'agentVersion' | 'engineId' | 'engineVersion'> & {
  readonly workspaceId: number
}
