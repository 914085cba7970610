import type { AnalysisItem } from '@parley/contract/after-conversation'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { ModelFailure } from '../../ports.ts'
import { analyzeByRules } from './analyze-by-rules.ts'
import {
  type AnalyzedConversation,
  applyRequiredFields,
  NOTHING_FOUND,
  readQuestions,
} from './analyzed-conversation.ts'
import { askForReport, type ReportDependencies, type UsedModel } from './ask-for-report.ts'

export interface AnalysisRequest {
  readonly conversation: AnalyzedConversation
  readonly items: readonly AnalysisItem[]
  /** Tried in this order; from the offline model on, and where none is left, rules find out what they can. */
  readonly modelNames: readonly string[]
  readonly signal: AbortSignal
}

/** What came of an analysis. `usages` is what models used in any case. */
export type AnalysisOutcome = { readonly usages: readonly UsedModel[] } & (
  | { readonly type: 'found'; readonly analysis: ChatAnalysis; readonly by: 'model' | 'rules' }
  /** Every model failed in a way that may pass. */
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'cancelled' }
)

const OFFLINE = 'offline'

/**
 * Finds out what is asked about a conversation that is over: by one question to a model, by rules where there is none or
 * where models do not answer as asked. Never throws.
 */
export async function analyzeConversation(
  dependencies: ReportDependencies,
  request: AnalysisRequest,
): Promise<AnalysisOutcome> {
  const { conversation, items, signal } = request
  if (items.length === 0) return { type: 'found', analysis: NOTHING_FOUND, by: 'rules', usages: [] }
  const questions = readQuestions(items)
  const byRules = (usages: readonly UsedModel[]): AnalysisOutcome => {
    const analysis = applyRequiredFields(analyzeByRules(conversation, questions), questions)
    return { type: 'found', analysis, by: 'rules', usages }
  }
  const modelNames = usableNames(dependencies, request.modelNames)
  // With nothing said there is nothing that a model could find out.
  const isEmpty = conversation.history.every(({ role }) => role !== 'user')
  if (modelNames.length === 0 || isEmpty) return byRules([])
  const outcome = await askForReport(dependencies, { conversation, questions, modelNames, signal })
  const { usages } = outcome
  if (outcome.type === 'cancelled') return { type: 'cancelled', usages }
  if (outcome.type === 'found') {
    return { type: 'found', analysis: applyRequiredFields(outcome.analysis, questions), by: 'model', usages }
  }
  const { failure } = outcome
  return failure?.retryable === true ? { type: 'failed', failure, usages } : byRules(usages)
}

/** Models that exist, up to the offline one, which is not asked: it answers users, and what it could find rules find as well. */
function usableNames({ resolveModel }: ReportDependencies, names: readonly string[]): string[] {
  const usable: string[] = []
  for (const name of names) {
    const model = resolveModel(name)
    if (model?.name === OFFLINE) break
    if (model !== null) usable.push(name)
  }
  return usable
}
