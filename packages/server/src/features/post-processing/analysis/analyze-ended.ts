import type { ChatAnalysis } from '@parley/contract/chat'
import { analyzeConversation } from '@parley/engine/dialogue/analysis/analyze-conversation'
import type { AnalyzedConversation } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { UsedModel } from '@parley/engine/dialogue/analysis/ask-for-report'
import type { Clock, ModelFailure } from '@parley/engine/ports'
import { AppError } from '../../../kernel/errors.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { PostProcessingPlan } from '../policy/plan-post-processing.ts'
import type { AnalysisModels, CostOf, StoredUsage } from '../post-processing-ports.ts'
import { RedactionFailedError } from '../redaction-tasks.ts'

export interface AnalyzeDependencies {
  readonly clock: SharedClock
  /** Holds models to their deadlines. */
  readonly processClock: Clock
  readonly models: AnalysisModels
  readonly costOf: CostOf
}

/** What was found out and what that used. */
export type AnalysisOutcome = { readonly usages: readonly StoredUsage[] } & (
  | { readonly type: 'found'; readonly analysis: ChatAnalysis }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'cancelled' }
)

export type CompletedAnalysis = Extract<AnalysisOutcome, { type: 'found' }>

/** Models could not be asked now. */
class AnalysisFailedError extends Error {
  readonly isTimeout: boolean

  constructor(outcome: Extract<AnalysisOutcome, { type: 'failed' | 'cancelled' }>) {
    super(outcome.type === 'cancelled' ? 'The analysis was called off.' : outcome.failure.message)
    this.name = 'AnalysisFailedError'
    this.isTimeout = outcome.type === 'failed' && outcome.failure.kind === 'timeout'
  }
}

/** What was found. An analysis that came to nothing is thrown, once what it used in vain is kept. */
export async function requireAnalysis(
  outcome: AnalysisOutcome,
  recordUsages: (usages: readonly StoredUsage[]) => Promise<void>,
): Promise<CompletedAnalysis> {
  if (outcome.type === 'found') return outcome
  await recordUsages(outcome.usages)
  throw new AnalysisFailedError(outcome)
}

/** An error as whoever asked for an analysis is told it. */
export function toAnalysisError(error: unknown, what: 'call' | 'chat'): unknown {
  if (error instanceof RedactionFailedError)
    return new AppError('unavailable', `The ${what} was not analyzed: ${error.message}`)
  if (!(error instanceof AnalysisFailedError)) return error
  return new AppError(
    error.isTimeout ? 'provider_timeout' : 'provider_error',
    `The ${what} was not analysed, and what was known of it stays: ${error.message}`,
  )
}

/** Of an analysis that nobody calls off: the deadlines of the models end it. */
export const NEVER_ABORTED = new AbortController().signal

/** Nobody waits for the first word of a report, which some models give in one piece. */
const DEADLINES = { firstTokenMs: 120_000, idleMs: 120_000, totalMs: 240_000 }

/** Finds out about a conversation of a workspace what its agents ask. */
export async function analyzeEnded(
  { processClock, models, costOf }: AnalyzeDependencies,
  { workspaceId, conversation }: { readonly workspaceId: number; readonly conversation: AnalyzedConversation },
  plan: Pick<PostProcessingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<AnalysisOutcome> {
  const { resolve } = await models.forWorkspace(workspaceId)
  const dependencies = { resolveModel: resolve, clock: processClock, deadlines: DEADLINES }
  const outcome = await analyzeConversation(dependencies, { ...plan, conversation })
  return { ...outcome, usages: outcome.usages.map((used) => toStored(used, costOf)) }
}

function toStored({ model, usage }: UsedModel, costOf: CostOf): StoredUsage {
  return { model, ...usage, cost: costOf(model, usage) }
}
