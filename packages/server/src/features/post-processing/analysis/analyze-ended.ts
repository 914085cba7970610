import type { ChatAnalysis } from '@parley/contract/chat'
import { analyzeConversation } from '@parley/engine/dialogue/analysis/analyze-conversation'
import type { AnalyzedConversation } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { UsedModel } from '@parley/engine/dialogue/analysis/ask-for-report'
import type { Clock, ModelFailure } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type {
  AnalysisModels,
  CostOf,
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
  readonly computeCost: CostOf
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
  readonly found: CompletedAnalysis | null
}

/** Thrown if the models were unavailable. */
class AnalysisFailedError extends Error {
  readonly isTimeout: boolean

  constructor(outcome: Extract<AnalysisOutcome, { type: 'failed' | 'cancelled' }>) {
    super(outcome.type === 'cancelled' ? 'The analysis was canceled.' : outcome.failure.message)
    this.name = 'AnalysisFailedError'
    this.isTimeout = outcome.type === 'failed' && outcome.failure.kind === 'timeout'
  }
}

/** Returns the analysis result. Stores the usage of a failed analysis and then throws. */
export async function requireAnalysis(
  outcome: AnalysisOutcome,
  recordUsages: (usages: readonly StoredUsage[]) => Promise<void>,
): Promise<CompletedAnalysis> {
  if (outcome.type === 'found') return outcome
  await recordUsages(outcome.usages)
  throw new AnalysisFailedError(outcome)
}

/** Converts an analysis failure to an API error. */
export function toAnalysisError(error: unknown, what: 'call' | 'chat'): unknown {
  if (error instanceof RedactionFailedError)
    return new AppError('unavailable', `The ${what} was not analyzed: ${error.message}`)
  if (!(error instanceof AnalysisFailedError)) return error
  return new AppError(
    error.isTimeout ? 'provider_timeout' : 'provider_error',
    `The ${what} was not analyzed. Earlier results are unchanged. ${error.message}`,
  )
}

/** Options for an analysis that runs within a request. Only the model deadlines limit the analysis. */
export const ON_REQUEST: FinalizeOptions = {
  usesModels: true,
  omitsUnredacted: false,
  signal: new AbortController().signal,
}

/** Some models return a report all at once, so the first token may take as long as the whole response. */
const DEADLINES = { firstTokenMs: 120_000, idleMs: 120_000, totalMs: 240_000 }

/** Analyzes a conversation according to its agents' settings. */
export async function analyzeEnded(
  { processClock, models, computeCost }: AnalyzeDependencies,
  { workspaceId, conversation }: { readonly workspaceId: number; readonly conversation: AnalyzedConversation },
  plan: Pick<PostProcessingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<AnalysisOutcome> {
  const { resolve } = await models.forWorkspace(workspaceId)
  const dependencies = { resolveModel: resolve, clock: processClock, deadlines: DEADLINES }
  const outcome = await analyzeConversation(dependencies, { ...plan, conversation })
  return { ...outcome, usages: outcome.usages.map((usedModel) => toStoredUsage(usedModel, computeCost)) }
}

function toStoredUsage({ model, usage }: UsedModel, computeCost: CostOf): StoredUsage {
  return { model, ...usage, cost: computeCost(model, usage) }
}
