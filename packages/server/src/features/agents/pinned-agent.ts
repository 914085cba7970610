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

/** The agent or chat agent and the engine version that a conversation stays on for its whole life. */
export interface AgentPin {
  readonly agentId: string
  readonly agentVersion: number
  readonly agentName: string
  readonly engineKind: string
  /** `null` for engines that are no resources of ours. */
  readonly engineId: string | null
  readonly engineVersion: number | null
}

/** What a conversation needs of its frozen agent version. */
export interface PinnedAgent extends OptionsOf<typeof CONVERSATION_SETTINGS, Agent> {
  readonly agentId: string
  readonly agentVersion: number
  readonly engine: ResponseEngine
  readonly webhook: AgentWebhook
  readonly postProcessing: PostProcessingSettings
  /** How its calls are led; `null` for an agent that only writes. */
  readonly voice: AgentVoiceSettings | null
}

/** What is done about a conversation once nobody speaks any more. */
export interface PostProcessingSettings
  extends OptionsOf<typeof POST_CONVERSATION_SETTINGS, Agent>,
    OptionsOf<typeof CALL_OUTCOME_SETTINGS, Agent> {
  /** Of what counts as personal where `storage` leaves that out. */
  readonly piiCategories: readonly PiiCategory[]
}

/** How conversations use agents and chat agents, which their ids tell apart; implemented by the agents feature. */
export interface AgentUse {
  /**
   * Chooses the version and freezes it together with its engine's, in the transaction that begins the conversation.
   * Throws `not_found`, or `engine_unavailable` when the engine does not exist any more.
   */
  pin(
    transaction: Transaction,
    request: { workspaceId: number; agentId: string; version: VersionSelector; now: number },
  ): Promise<AgentPin>
  /**
   * Loads what was pinned: frozen, and so cached. Inside a unit of work it reads through the transaction.
   * Throws `not_found` when it was deleted since.
   */
  load(pin: LoadedPin, reader?: Reader): Promise<PinnedAgent>
  /** Loads a version to try it, drafts included: nothing is frozen, and nothing kept. Throws `not_found`. */
  preview(request: {
    readonly workspaceId: number
    readonly agentId: string
    readonly version: VersionSelector
  }): Promise<PinnedAgent>
}

/** What names a pinned agent. */
export type LoadedPin = Pick<AgentPin, 'agentId' | 'agentVersion' | 'engineId' | 'engineVersion'> & {
  readonly workspaceId: number
}
