import type { ChatAnalysis } from '@parley/contract/chat'
import { analyzeConversation } from '@parley/engine/dialogue/analysis/analyze-conversation'
import type { AnalyzedConversation } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { UsedModel } from '@parley/engine/dialogue/analysis/ask-for-report'
import type { Clock, ModelFailure } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type {
  AnalysisModels,
  ComputeCost,
  FinalizeOptions,
  LoadedPlan,
  PostProcessingPlan,
  StoredUsage,
} from '../policy/plan-post-processing.ts'
import { RedactionFailedError } from '../redaction-tasks.ts'

export interface AnalyzeDependencies {
  readonly clock: SharedClock
  /** Clock that enforces model deadlines. */
  readonly processClock: Clock
  readonly models: AnalysisModels
  readonly computeCost: ComputeCost
}

/** Result and usage of an analysis. */
export type AnalysisOutcome = { readonly usages: readonly StoredUsage[] } & (
  | { readonly type: 'found'; readonly analysis: ChatAnalysis }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'cancelled' }
)

export type CompletedAnalysis = Extract<AnalysisOutcome, { type: 'found' }>

/** The final stored content of a conversation. */
export interface FinalContent extends Pick<FinalizeOptions, 'omitsUnredacted'> {
  readonly loadedPlan: LoadedPlan
  readonly completedAnalysis: CompletedAnalysis | null
}

/** Thrown if the analysis failed or was canceled. */
class AnalysisFailedError extends Error {
  readonly isTimeout: boolean

  constructor(outcome: Extract<AnalysisOutcome, { type: 'failed' | 'cancelled' }>) {
    super(outcome.type === 'cancelled' ? 'The analysis was canceled.' : outcome.failure.message)
    this.name = 'AnalysisFailedError'
    this.isTimeout = outcome.type === 'failed' && outcome.failure.kind === 'timeout'
  }
}

/** Returns a completed analysis. If the analysis failed, records its usage and throws. */
export async function requireAnalysis(
  outcome: AnalysisOutcome,
  recordUsages: (usages: readonly StoredUsage[]) => Promise<void>,
): Promise<CompletedAnalysis> {
  if (outcome.type === 'found') return outcome
  await recordUsages(outcome.usages)
  throw new AnalysisFailedError(outcome)
}

/** Converts an analysis failure to an API error. */
export function toAnalysisError(error: unknown, conversationKind: 'call' | 'chat'): unknown {
  if (error instanceof RedactionFailedError)
    return new AppError('unavailable', `The ${conversationKind} was not analyzed: ${error.message}`)
  if (!(error instanceof AnalysisFailedError)) return error
  return new AppError(
    error.isTimeout ? 'provider_timeout' : 'provider_error',
    `The ${conversationKind} was not analyzed. Earlier results are unchanged. ${error.message}`,
  )
}

/** Options for an analysis that runs within a request. Only the model deadlines limit its duration. */
export const ON_DEMAND_OPTIONS: FinalizeOptions = {
  usesModels: true,
  omitsUnredacted: false,
  signal: new AbortController().signal,
}

/** Some models return a report all at once, so the first token may take as long as the whole response. */
const MODEL_DEADLINES = { firstTokenMs: 120_000, idleMs: 120_000, totalMs: 240_000 }

/** Analyzes a conversation according to its agents' settings. */
export async function analyzeEndedConversation(
  { processClock, models, computeCost }: AnalyzeDependencies,
  { workspaceId, conversation }: { readonly workspaceId: number; readonly conversation: AnalyzedConversation },
  plan: Pick<PostProcessingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<AnalysisOutcome> {
  const { resolve } = await models.forWorkspace(workspaceId)
  const dependencies = { resolveModel: resolve, clock: processClock, deadlines: MODEL_DEADLINES }
  const outcome = await analyzeConversation(dependencies, { ...plan, conversation })
  return { ...outcome, usages: outcome.usages.map((usedModel) => toStoredUsage(usedModel, computeCost)) }
}

function toStoredUsage({ model, usage }: UsedModel, computeCost: ComputeCost): StoredUsage {
  return { model, ...usage, cost: computeCost(model, usage) }
}
