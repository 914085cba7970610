import type { AnalysisItem } from '@parley/contract/after-conversation'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import { addPresets } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { ModelUsage, ResolveModel } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { BatchStatement } from '../../../kernel/storage/database.ts'
import type { PinnedAgent } from '../../agents/public.ts'
import type { AgentWebhook, WebhookEvents } from '../../webhooks/public.ts'
import { isStricter, policyOf, type StoragePolicy, strictestWith } from './storage-policy.ts'

/** An agent that held a conversation. */
export interface ConversationAgent {
  /** `null` when it was deleted. */
  readonly agent: PinnedAgent | null
  /** Whether its analysis runs. */
  readonly isAnalyzed: boolean
  /** Whether its webhooks are sent. */
  readonly isNotified: boolean
}

/** What the hand-overs to and from an agent say about it. */
export function rolesOf(
  to: SwapSettings | undefined,
  outgoing: SwapSettings | undefined,
): Pick<ConversationAgent, 'isAnalyzed' | 'isNotified'> {
  return {
    isAnalyzed: outgoing?.analysis !== 'only_destination_agent',
    isNotified: outgoing?.webhooks !== 'only_destination_agent' && to?.webhooks !== 'only_source_agent',
  }
}

const NO_AGENT_WEBHOOK: AgentWebhook = { url: null, events: [], timeoutMs: 10_000 }

/** Whose webhooks are sent. A deleted agent has no URL of its own. */
export function webhooksOf(agents: readonly ConversationAgent[]): readonly AgentWebhook[] {
  return agents.filter(({ isNotified }) => isNotified).map(({ agent }) => agent?.webhook ?? NO_AGENT_WEBHOOK)
}

/** The conversation that an event is about and the agents that held it. */
interface EventTarget {
  readonly workspaceId: number
  readonly subject: { readonly kind: 'call' | 'chat'; readonly id: string }
  readonly agents: readonly ConversationAgent[]
}

/** Publishes an event of a conversation to its agents. */
export async function eventStatements(
  webhooks: Pick<WebhookEvents, 'statements'>,
  event: WebhookEventName,
  { workspaceId, subject, agents }: EventTarget,
): Promise<readonly BatchStatement[]> {
  return await webhooks.statements({ workspaceId, event, subject, agents: webhooksOf(agents) })
}

/** The agent, or `null` when it was deleted. */
export async function nullIfDeleted(loading: Promise<PinnedAgent>): Promise<PinnedAgent | null> {
  try {
    return await loading
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

/** The plan for an ended conversation. */
export interface PostProcessingPlan {
  readonly policy: StoragePolicy
  /** Empty: no analysis. */
  readonly items: readonly AnalysisItem[]
  /** In fallback order; empty: by rules. */
  readonly modelNames: readonly string[]
}

/** A plan and the webhooks to send. */
export interface LoadedPlan {
  readonly plan: PostProcessingPlan
  readonly agents: readonly ConversationAgent[]
}

/** Options of post-processing. */
export interface FinalizeOptions {
  /** False: analyze by rules. */
  readonly usesModels: boolean
  /** Omits what cannot be redacted in time; false: retry. */
  readonly omitsUnredacted: boolean
  readonly signal: AbortSignal
}

/** Whether the conversation was not processed yet or stores more than it should. */
export function needsFinalizing(
  { stored_as }: { readonly stored_as: string | null },
  { policy }: PostProcessingPlan,
): boolean {
  return stored_as === null || isStricter(policy.setting, stored_as as typeof policy.setting)
}

/**
 * Decides by the agents of a conversation and its own policy, of which the strictest wins. `presets` are analyzed in
 * any case.
 */
export function planPostProcessing(
  stored: StoragePolicy | null,
  agents: readonly ConversationAgent[],
  presets: readonly AnalysisItem[],
): PostProcessingPlan {
  const analyzed = agents.filter(({ isAnalyzed }) => isAnalyzed)
  const last = analyzed.findLast(({ agent }) => agent !== null)?.agent ?? null
  return {
    policy: policyWith(stored, agents),
    items: analyzed.flatMap(({ agent }) => addPresets(agent?.postProcessing.analysisItems ?? presets, presets)),
    modelNames: last === null ? [] : modelsOf(last),
  }
}

/** The strictest of the conversation's own policy and those of its agents. */
export function policyWith(stored: StoragePolicy | null, agents: readonly ConversationAgent[]): StoragePolicy {
  const policies = agents.flatMap(({ agent }) => (agent === null ? [] : [policyOf(agent.postProcessing)]))
  return strictestWith(stored, policies)
}

function modelsOf({ postProcessing, engine, fallbackModels }: PinnedAgent): string[] {
  const own = engine.kind === 'custom-llm' ? [] : [engine.model]
  // The analysis model replaces the engine's model; a custom server is not a model.
  const first = postProcessing.analysisModel === null ? own : [postProcessing.analysisModel]
  return engine.kind === 'custom-llm' && postProcessing.analysisModel === null ? [] : [...first, ...fallbackModels]
}

/** Usage of one generation as turns store it. `cost` is null without a known price. */
export interface StoredUsage extends ModelUsage {
  readonly model: string
  readonly cost: number | null
}

/** Which models a workspace can use now. */
export interface AnalysisModels {
  forWorkspace(workspaceId: number): Promise<{ readonly resolve: ResolveModel }>
}

/** USD; `null` without a known price. */
export type CostOf = (model: string, usage: ModelUsage) => number | null

/** Cost of speech in USD; `null` without a known price or unit. */
export type SpeechCostOf = (
  model: string,
  usage: { readonly seconds: number | null; readonly characters: number | null },
) => number | null
