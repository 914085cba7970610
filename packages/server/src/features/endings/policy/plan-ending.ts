import type { AnalysisItem } from '@parley/contract/after-conversation'
import { withPresets } from '@parley/engine/dialogue/analysis/analysed-conversation'
import type { PinnedAgent } from '../../../kernel/pinned-agent.ts'
import type { HoldingAgent } from './holding-agents.ts'
import { policyOf, type StoragePolicy, strictestOf } from './storage-policy.ts'

/** What is to be done about a conversation that is over. */
export interface EndingPlan {
  readonly policy: StoragePolicy
  /** Empty: nothing is found out. */
  readonly items: readonly AnalysisItem[]
  /** Tried in this order; none: by rules. */
  readonly modelNames: readonly string[]
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
  const known = agents.flatMap(({ agent }) => (agent === null ? [] : [agent]))
  const policies = known.map(({ afterwards }) => policyOf(afterwards))
  const analysed = agents.filter(({ isAnalysed }) => isAnalysed)
  const last = analysed.findLast(({ agent }) => agent !== null)?.agent ?? null
  return {
    policy: strictestOf(stored === null ? policies : [stored, ...policies]),
    items: analysed.flatMap(({ agent }) => withPresets(agent?.afterwards.analysisItems ?? presets, presets)),
    modelNames: last === null ? [] : modelsOf(last),
  }
}

function modelsOf({ afterwards, engine, fallbackModels }: PinnedAgent): string[] {
  const own = engine.kind === 'custom-llm' ? [] : [engine.model]
  // A model named for it stands in the place of that of the engine; a server of the customer's is no model to be asked.
  const first = afterwards.analysisModel === null ? own : [afterwards.analysisModel]
  return engine.kind === 'custom-llm' && afterwards.analysisModel === null ? [] : [...first, ...fallbackModels]
}
