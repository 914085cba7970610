import type { AnalysisItem } from '@parley/contract/after-conversation'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import { addPresets } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { ModelUsage, ResolveModel } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { BatchStatement } from '../../../kernel/storage/database.ts'
import type { PinnedAgent } from '../../agents/public.ts'
import type { AgentWebhook, WebhookEvents } from '../../webhooks/public.ts'
import { combineWithStoredPolicy, isStricter, type StoragePolicy, toStoragePolicy } from './storage-policy.ts'

/** An agent that handled a conversation. */
export interface ConversationAgent {
  /** The agent, or null if it was deleted. */
  readonly agent: PinnedAgent | null
  /** Whether the agent's analysis runs. */
  readonly isAnalyzed: boolean
  /** Whether the agent's webhooks are sent. */
  readonly isNotified: boolean
}

/** Derives an agent's roles from the settings of the handoffs to and from the agent. */
export function decideAgentRoles(
  incomingHandoff: SwapSettings | undefined,
  outgoingHandoff: SwapSettings | undefined,
): Pick<ConversationAgent, 'isAnalyzed' | 'isNotified'> {
  return {
    isAnalyzed: outgoingHandoff?.analysis !== 'only_destination_agent',
    isNotified:
      outgoingHandoff?.webhooks !== 'only_destination_agent' && incomingHandoff?.webhooks !== 'only_source_agent',
  }
}

const NO_AGENT_WEBHOOK: AgentWebhook = { url: null, events: [], timeoutMs: 10_000 }

/** Returns the webhook settings of the agents to notify. A deleted agent has no URL. */
export function listNotifiedWebhooks(agents: readonly ConversationAgent[]): readonly AgentWebhook[] {
  return agents.filter(({ isNotified }) => isNotified).map(({ agent }) => agent?.webhook ?? NO_AGENT_WEBHOOK)
}

/** The conversation that an event is about, and its agents. */
interface EventTarget {
  readonly workspaceId: number
  readonly subject: { readonly kind: 'call' | 'chat'; readonly id: string }
  readonly agents: readonly ConversationAgent[]
}

/** Builds the statements that publish a conversation event to the agents' webhooks. */
export async function buildEventStatements(
  webhooks: Pick<WebhookEvents, 'buildStatements'>,
  event: WebhookEventName,
  { workspaceId, subject, agents }: EventTarget,
): Promise<readonly BatchStatement[]> {
  return await webhooks.buildStatements({ workspaceId, event, subject, agents: listNotifiedWebhooks(agents) })
}

/** Returns the agent, or null if it was deleted. */
export async function loadUnlessDeleted(pendingAgent: Promise<PinnedAgent>): Promise<PinnedAgent | null> {
  try {
    return await pendingAgent
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

/** The plan for an ended conversation. */
export interface PostProcessingPlan {
  readonly policy: StoragePolicy
  /** Items to analyze. Empty if there is no analysis. */
  readonly items: readonly AnalysisItem[]
  /** Models in fallback order. Empty if rules analyze the conversation. */
  readonly modelNames: readonly string[]
}

/** A plan and the agents that handled the conversation. */
export interface LoadedPlan {
  readonly plan: PostProcessingPlan
  readonly agents: readonly ConversationAgent[]
}

/** Options of post-processing. */
export interface FinalizeOptions {
  /** Whether models are used. If false, rules analyze the conversation. */
  readonly usesModels: boolean
  /** Whether to omit content that cannot be redacted in time. If false, the redaction is retried. */
  readonly omitsUnredacted: boolean
  readonly signal: AbortSignal
}

/** Whether the conversation was not processed yet or stores more than its policy allows. */
export function needsFinalizing(
  { stored_as }: { readonly stored_as: string | null },
  { policy }: PostProcessingPlan,
): boolean {
  return stored_as === null || isStricter(policy.setting, stored_as as typeof policy.setting)
}

/** Plans a conversation's post-processing. The strictest policy applies, and `presets` are always analyzed. */
export function planPostProcessing(
  storedPolicy: StoragePolicy | null,
  agents: readonly ConversationAgent[],
  presets: readonly AnalysisItem[],
): PostProcessingPlan {
  const analyzedAgents = agents.filter(({ isAnalyzed }) => isAnalyzed)
  const lastAgent = analyzedAgents.findLast(({ agent }) => agent !== null)?.agent ?? null
  return {
    policy: combineAgentPolicies(storedPolicy, agents),
    items: analyzedAgents.flatMap(({ agent }) => addPresets(agent?.postProcessing.analysisItems ?? presets, presets)),
    modelNames: lastAgent === null ? [] : listAnalysisModels(lastAgent),
  }
}

/** Combines the conversation's policy with its agents' policies. The strictest applies. */
export function combineAgentPolicies(
  storedPolicy: StoragePolicy | null,
  agents: readonly ConversationAgent[],
): StoragePolicy {
  const policies = agents.flatMap(({ agent }) => (agent === null ? [] : [toStoragePolicy(agent.postProcessing)]))
  return combineWithStoredPolicy(storedPolicy, policies)
}

function listAnalysisModels({ postProcessing, engine, fallbackModels }: PinnedAgent): string[] {
  const engineModels = engine.kind === 'custom-llm' ? [] : [engine.model]
  // The analysis model replaces the engine's model. A custom LLM server cannot run analyses.
  const primaryModels = postProcessing.analysisModel === null ? engineModels : [postProcessing.analysisModel]
  return engine.kind === 'custom-llm' && postProcessing.analysisModel === null
    ? []
    : [...primaryModels, ...fallbackModels]
}

/** Usage of one generation, as stored with a turn. `cost` is null if the price is unknown. */
export interface StoredUsage extends ModelUsage {
  readonly model: string
  readonly cost: number | null
}

/** Provides the models that a workspace can use. */
export interface AnalysisModels {
  forWorkspace(workspaceId: number): Promise<{ readonly resolve: ResolveModel }>
}

/** Returns the cost in US dollars, or null if the price is unknown. */
export type ComputeCost = (model: string, usage: ModelUsage) => number | null

/** Returns the cost of speech in US dollars, or null if the price or unit is unknown. */
export type ComputeSpeechCost = (
  model: string,
  usage: { readonly seconds: number | null; readonly characters: number | null },
) => number | null
