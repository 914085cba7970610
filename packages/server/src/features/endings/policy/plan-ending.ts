import type { AnalysisItem } from '@parley/contract/after-conversation'
import { withPresets } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { PinnedAgent } from '../../agents/public.ts'
import type { HoldingAgent } from './holding-agents.ts'
import { isStricter, policyOf, type StoragePolicy, strictestWith } from './storage-policy.ts'

/** What is to be done about a conversation that is over. */
export interface EndingPlan {
  readonly policy: StoragePolicy
  /** Empty: nothing is found out. */
  readonly items: readonly AnalysisItem[]
  /** Tried in this order; none: by rules. */
  readonly modelNames: readonly string[]
}

/** What a conversation needs, and whose webhooks are told of it. */
export interface LoadedEnding {
  readonly plan: EndingPlan
  readonly agents: readonly HoldingAgent[]
}

/** How a conversation is settled. */
export interface SettleOptions {
  /** False: rules find out what they can. */
  readonly asksModels: boolean
  /** What cannot be redacted in time is left out; false: it is tried again. */
  readonly withholds: boolean
  readonly signal: AbortSignal
}

/** Whether more of a conversation is stored than is to be, or nobody came to it yet. */
export function isLeftToDo({ stored_as }: { readonly stored_as: string | null }, { policy }: EndingPlan): boolean {
  return stored_as === null || isStricter(policy.setting, stored_as as typeof policy.setting)
}

/**
 * Decides by the agents that held a conversation and by what it carries itself, of which the strictest counts. `presets` is what is
 * found out in any case.
 */
export function planEnding(
  stored: StoragePolicy | null,
  agents: readonly HoldingAgent[],
  presets: readonly AnalysisItem[],
): EndingPlan {
  const analysed = agents.filter(({ isAnalysed }) => isAnalysed)
  const last = analysed.findLast(({ agent }) => agent !== null)?.agent ?? null
  return {
    policy: policyWith(stored, agents),
    items: analysed.flatMap(({ agent }) => withPresets(agent?.afterwards.analysisItems ?? presets, presets)),
    modelNames: last === null ? [] : modelsOf(last),
  }
}

/** The strictest of what a conversation carries and of what the agents that held it say. */
export function policyWith(stored: StoragePolicy | null, agents: readonly HoldingAgent[]): StoragePolicy {
  const policies = agents.flatMap(({ agent }) => (agent === null ? [] : [policyOf(agent.afterwards)]))
  return strictestWith(stored, policies)
}

function modelsOf({ afterwards, engine, fallbackModels }: PinnedAgent): string[] {
  const own = engine.kind === 'custom-llm' ? [] : [engine.model]
  // A model named for it stands in the place of that of the engine; a server of the customer's is no model to be asked.
  const first = afterwards.analysisModel === null ? own : [afterwards.analysisModel]
  return engine.kind === 'custom-llm' && afterwards.analysisModel === null ? [] : [...first, ...fallbackModels]
}
