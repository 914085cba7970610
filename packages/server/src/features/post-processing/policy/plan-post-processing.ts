import type { AnalysisItem } from '@parley/contract/after-conversation'
import { withPresets } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { PinnedAgent } from '../../agents/public.ts'
import type { ConversationAgent } from './conversation-agents.ts'
import { isStricter, policyOf, type StoragePolicy, strictestWith } from './storage-policy.ts'

/** What is to be done about a conversation that is over. */
export interface PostProcessingPlan {
  readonly policy: StoragePolicy
  /** Empty: nothing is found out. */
  readonly items: readonly AnalysisItem[]
  /** Tried in this order; none: by rules. */
  readonly modelNames: readonly string[]
}

/** What a conversation needs, and whose webhooks are told of it. */
export interface LoadedPlan {
  readonly plan: PostProcessingPlan
  readonly agents: readonly ConversationAgent[]
}

/** How a conversation is settled. */
export interface FinalizeOptions {
  /** False: rules find out what they can. */
  readonly usesModels: boolean
  /** What cannot be redacted in time is left out; false: it is tried again. */
  readonly omitsUnredacted: boolean
  readonly signal: AbortSignal
}

/** Whether more of a conversation is stored than is to be, or nobody came to it yet. */
export function needsFinalizing(
  { stored_as }: { readonly stored_as: string | null },
  { policy }: PostProcessingPlan,
): boolean {
  return stored_as === null || isStricter(policy.setting, stored_as as typeof policy.setting)
}

/**
 * Decides by the agents that held a conversation and by what it carries itself, of which the strictest counts. `presets` is what is
 * found out in any case.
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
    items: analyzed.flatMap(({ agent }) => withPresets(agent?.postProcessing.analysisItems ?? presets, presets)),
    modelNames: last === null ? [] : modelsOf(last),
  }
}

/** The strictest of what a conversation carries and of what the agents that held it say. */
export function policyWith(stored: StoragePolicy | null, agents: readonly ConversationAgent[]): StoragePolicy {
  const policies = agents.flatMap(({ agent }) => (agent === null ? [] : [policyOf(agent.postProcessing)]))
  return strictestWith(stored, policies)
}

function modelsOf({ postProcessing, engine, fallbackModels }: PinnedAgent): string[] {
  const own = engine.kind === 'custom-llm' ? [] : [engine.model]
  // A model named for it stands in the place of that of the engine; a server of the customer's is no model to be asked.
  const first = postProcessing.analysisModel === null ? own : [postProcessing.analysisModel]
  return engine.kind === 'custom-llm' && postProcessing.analysisModel === null ? [] : [...first, ...fallbackModels]
}
