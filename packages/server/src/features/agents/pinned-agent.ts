import type { PiiCategory } from '@parley/contract/after-conversation'
import type { Agent } from '@parley/contract/agent'
import type {
  CONVERSATION_SETTINGS,
  POST_CONVERSATION_SETTINGS,
} from '@parley/contract/agent-settings/conversation-settings'
import type { CALL_OUTCOME_SETTINGS } from '@parley/contract/agent-settings/outcome-settings'
import type { OptionsOf } from '@parley/contract/agent-settings/setting'
import type { VersionSelector } from '@parley/contract/fields'
import type { ResponseEngine } from '@parley/engine/dialogue/conversation'
import type { AgentVoiceSettings } from '@parley/engine/voice/agent-voice-settings'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { AgentWebhook } from '../webhooks/public.ts'

/** The agent and engine version that a conversation keeps for its whole life. */
export interface AgentPin {
  readonly agentId: string
  readonly agentVersion: number
  readonly agentName: string
  readonly engineKind: string
  /** `null` for external engines. */
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

/** What happens with a conversation after it ends. */
export interface PostProcessingSettings
  extends OptionsOf<typeof POST_CONVERSATION_SETTINGS, Agent>,
    OptionsOf<typeof CALL_OUTCOME_SETTINGS, Agent> {
  /** Categories of personal data to redact where `storage` requires it. */
  readonly piiCategories: readonly PiiCategory[]
}

/** How conversations use agents and chat agents, distinguished by id. */
export interface AgentUse {
  /**
   * Chooses the version and freezes it together with its engine version, in the transaction that starts the
   * conversation. Throws `not_found`, or `engine_unavailable` when the engine no longer exists.
   */
  pin(
    transaction: Transaction,
    request: { workspaceId: number; agentId: string; version: VersionSelector; now: number },
  ): Promise<AgentPin>
  /**
   * Loads a pinned agent, which is frozen and therefore cached. Within a transaction it reads through it. Throws
   * `not_found` when the agent was deleted since.
   */
  load(pin: LoadedPin, reader?: Reader): Promise<PinnedAgent>
  /** Loads a version for a preview, drafts included, without freezing or caching it. Throws `not_found`. */
  preview(request: {
    readonly workspaceId: number
    readonly agentId: string
    readonly version: VersionSelector
  }): Promise<PinnedAgent>
}

export type LoadedPin = Pick<AgentPin, 'agentId' | 'agentVersion' | 'engineId' | 'engineVersion'> & {
  readonly workspaceId: number
}
