import type { ChatAnalysis } from '@parley/contract/chat'
import { analyseConversation } from '@parley/engine/dialogue/analysis/analyse-conversation'
import type { AnalysedConversation } from '@parley/engine/dialogue/analysis/analysed-conversation'
import type { UsedModel } from '@parley/engine/dialogue/analysis/ask-for-report'
import type { Clock, ModelFailure } from '@parley/engine/ports'
import type { AnalysisModels, CostOf, StoredUsage } from '../endings-ports.ts'
import type { EndingPlan } from '../policy/plan-ending.ts'

export interface AnalyseDependencies {
  readonly clock: Clock
  readonly models: AnalysisModels
  readonly costOf: CostOf
}

/** What was found out and what that used. */
export type EndedAnalysisOutcome = { readonly usages: readonly StoredUsage[] } & (
  | { readonly type: 'found'; readonly analysis: ChatAnalysis }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'cancelled' }
)

/** Models could not be asked now. */
export class AnalysisFailedError extends Error {
  readonly isTimeout: boolean

  constructor(outcome: Extract<EndedAnalysisOutcome, { type: 'failed' | 'cancelled' }>) {
    super(outcome.type === 'cancelled' ? 'The analysis was called off.' : outcome.failure.message)
    this.name = 'AnalysisFailedError'
    this.isTimeout = outcome.type === 'failed' && outcome.failure.kind === 'timeout'
  }
}

/** Nobody waits for the first word of a report, which some models give in one piece. */
const DEADLINES = { firstTokenMs: 120_000, idleMs: 120_000, totalMs: 240_000 }

/** Finds out about a conversation of a workspace what its agents ask. */
export async function analyseEnded(
  { clock, models, costOf }: AnalyseDependencies,
  { workspaceId, conversation }: { readonly workspaceId: number; readonly conversation: AnalysedConversation },
  plan: Pick<EndingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<EndedAnalysisOutcome> {
  const { resolve } = await models.forWorkspace(workspaceId)
  const dependencies = { resolveModel: resolve, clock, deadlines: DEADLINES }
  const outcome = await analyseConversation(dependencies, { ...plan, conversation })
  return { ...outcome, usages: outcome.usages.map((used) => toStored(used, costOf)) }
}

function toStored({ model, usage }: UsedModel, costOf: CostOf): StoredUsage {
  return { model, ...usage, cost: costOf(model, usage) }
}
