import type { AnalysisItem } from '@parley/contract/after-conversation'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { ModelFailure } from '../../ports.ts'
import { analyzeByRules } from './analyze-by-rules.ts'
import {
  type AnalyzedConversation,
  applyRequiredFields,
  EMPTY_ANALYSIS,
  readQuestions,
} from './analyzed-conversation.ts'
import { askForReport, type ReportDependencies, type UsedModel } from './ask-for-report.ts'

export interface AnalysisRequest {
  readonly conversation: AnalyzedConversation
  readonly items: readonly AnalysisItem[]
  /** Model names in the order to try them. Rules replace the offline model and all models after it. */
  readonly modelNames: readonly string[]
  readonly signal: AbortSignal
}

/** The outcome of an analysis. `usages` includes failed attempts. */
export type AnalysisOutcome = { readonly usages: readonly UsedModel[] } & (
  | { readonly type: 'found'; readonly analysis: ChatAnalysis; readonly method: 'model' | 'rules' }
  /** All models failed, but a retry may succeed. */
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'cancelled' }
)

const OFFLINE_MODEL = 'offline'

/** Analyzes a finished conversation with one model request, or by rules if no model returns a valid answer. Never throws. */
export async function analyzeConversation(
  dependencies: ReportDependencies,
  request: AnalysisRequest,
): Promise<AnalysisOutcome> {
  const { conversation, items, signal } = request
  if (items.length === 0) return { type: 'found', analysis: EMPTY_ANALYSIS, method: 'rules', usages: [] }
  const questions = readQuestions(items)
  const analyzeWithRules = (usages: readonly UsedModel[]): AnalysisOutcome => {
    const analysis = applyRequiredFields(analyzeByRules(conversation, questions), questions)
    return { type: 'found', analysis, method: 'rules', usages }
  }
  const modelNames = selectUsableModels(dependencies, request.modelNames)
  // A model has nothing to analyze if the user sent no message.
  const isEmpty = conversation.history.every(({ role }) => role !== 'user')
  if (modelNames.length === 0 || isEmpty) return analyzeWithRules([])
  const outcome = await askForReport(dependencies, { conversation, questions, modelNames, signal })
  const { usages } = outcome
  if (outcome.type === 'cancelled') return { type: 'cancelled', usages }
  if (outcome.type === 'found') {
    return { type: 'found', analysis: applyRequiredFields(outcome.analysis, questions), method: 'model', usages }
  }
  const { failure } = outcome
  return failure?.retryable === true ? { type: 'failed', failure, usages } : analyzeWithRules(usages)
}

/** Returns the configured models before the offline model, which would find no more than the rules do. */
function selectUsableModels({ resolveModel }: ReportDependencies, names: readonly string[]): string[] {
  const usableNames: string[] = []
  for (const name of names) {
    const model = resolveModel(name)
    if (model?.name === OFFLINE_MODEL) break
    if (model !== null) usableNames.push(name)
  }
  return usableNames
}
