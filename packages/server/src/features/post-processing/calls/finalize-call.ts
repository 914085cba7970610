import { CALL_ANALYSIS_PRESETS } from '@parley/contract/after-conversation'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Job, JobHandler } from '../../../kernel/work/jobs.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import type { AgentResolver } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import { readMarkup } from '../../workspaces/public.ts'
import {
  type AnalyzeDependencies,
  type CompletedAnalysis,
  type FinalContent,
  requireAnalysis,
} from '../analysis/analyze-ended.ts'
import { FINALIZE_RETRIES, getAttemptOptions, retryConflicts } from '../due-work.ts'
import type { StoredUsage } from '../policy/plan-post-processing.ts'
import {
  buildEventStatements,
  type FinalizeOptions,
  type LoadedPlan,
  needsFinalizing,
  type PostProcessingPlan,
  planPostProcessing,
} from '../policy/plan-post-processing.ts'
import { computeDeletionTime, parsePolicy, type StoragePolicy } from '../policy/storage-policy.ts'
import { type RedactionRunner, redactOrOmit } from '../redaction-tasks.ts'
import { analyzeCall, loadCallAgents } from './analyze-call.ts'
import {
  buildCostColumns,
  type CallPrices,
  type CostColumns,
  type CostItem,
  mergeCostItems,
  toAnalysisCostItems,
} from './call-cost.ts'
import {
  buildAnalysisColumns,
  buildCallUpdate,
  buildRewriteStatements,
  type EndedCall,
  findCallRow,
  isEnded,
  readCallEvents,
  readStoredAnalysis,
} from './ended-call-store.ts'
import { type BuildRecordingRemoval, type BuildTranscript, redactStoredCall } from './redact-stored-call.ts'

/** Kind of job that processes an ended call. */
export const CALL_ENDED_JOB = 'call-ended'

export interface FinalizeCallDependencies extends AnalyzeDependencies, CallPrices {
  readonly database: Database
  readonly agents: Pick<AgentResolver, 'load' | 'preview'>
  readonly webhooks: WebhookEvents
  readonly buildTranscript: BuildTranscript
  readonly buildRecordingRemoval: BuildRecordingRemoval
  readonly redaction: RedactionRunner
}

export async function loadCallPlan(
  { agents }: Pick<FinalizeCallDependencies, 'agents'>,
  call: CallRow,
): Promise<LoadedPlan> {
  const loadedAgents = await loadCallAgents(agents, call)
  return {
    plan: planPostProcessing(parsePolicy(call.storage), loadedAgents, CALL_ANALYSIS_PRESETS),
    agents: loadedAgents,
  }
}

/** Whether the caller joined. A call without a caller has no conversation. */
export const wasJoined = ({ started_at }: Pick<CallRow, 'started_at'>): boolean => started_at !== null

/** Analyzes an ended call and applies its storage policy. Idempotent. Throws on temporary model failures. */
export async function finalizeCall(
  dependencies: FinalizeCallDependencies,
  callId: string,
  options: FinalizeOptions,
): Promise<void> {
  const { database } = dependencies
  let completedAnalysis = null as CompletedAnalysis | null
  const isStored = await retryConflicts(async () => {
    const call = await findCallRow(database.read, callId)
    if (call === null || !isEnded(call)) return false
    const loadedPlan = await loadCallPlan(dependencies, call)
    if (!needsFinalizing(call, loadedPlan.plan)) return false
    const endedCall = { call, events: await readCallEvents(database.read, callId) }
    if (call.stored_as === null && wasJoined(call))
      completedAnalysis ??= await analyze(dependencies, endedCall, loadedPlan.plan, options)
    await storeFinalCall(dependencies, endedCall, {
      loadedPlan,
      completedAnalysis,
      omitsUnredacted: options.omitsUnredacted,
    })
    return true
  })
  // Another run stored its result first, but the usage of this run still counts.
  if (!isStored && completedAnalysis !== null) await recordUsages(dependencies, callId, completedAnalysis.usages)
}

async function analyze(
  dependencies: FinalizeCallDependencies,
  endedCall: EndedCall,
  { items, modelNames }: PostProcessingPlan,
  { usesModels, signal }: FinalizeOptions,
): Promise<CompletedAnalysis> {
  const plan = { items, modelNames: usesModels ? modelNames : [], signal }
  const outcome = await analyzeCall(dependencies, endedCall, plan)
  return await requireAnalysis(outcome, (usages) => recordUsages(dependencies, endedCall.call.call_id, usages))
}

/** Records usage without storing the analysis result. */
export async function recordUsages(
  dependencies: FinalizeCallDependencies,
  callId: string,
  usages: readonly StoredUsage[],
): Promise<void> {
  if (usages.length === 0) return
  await dependencies.database.transaction(async (transaction) => {
    const call = await findCallRow(transaction, callId)
    if (call === null) return
    const markup = await readMarkup(transaction, call.workspace_id)
    const costs = addUsageCosts(dependencies, call, { usages, markup })
    await transaction.updateTable('calls').set(costs).where('call_id', '=', callId).execute()
  })
}

/** Adds the usage of an analysis to the costs of a call. */
export function addUsageCosts(
  prices: Pick<CallPrices, 'computeCost'>,
  call: CallRow,
  { usages, markup }: { readonly usages: readonly StoredUsage[]; readonly markup: number },
): Partial<CostColumns> {
  if (usages.length === 0) return {}
  const items = JSON.parse(call.cost_breakdown) as readonly CostItem[]
  return buildCostColumns(mergeCostItems(items, toAnalysisCostItems(usages, prices)), markup, call)
}

/** Builds the target of a webhook event about a call. */
export function toCallEventTarget(
  call: Pick<CallRow, 'call_id' | 'workspace_id'>,
  { agents }: Pick<LoadedPlan, 'agents'>,
) {
  return { workspaceId: call.workspace_id, subject: { kind: 'call', id: call.call_id } as const, agents }
}

async function storeFinalCall(
  dependencies: FinalizeCallDependencies,
  endedCall: EndedCall,
  { loadedPlan, completedAnalysis, omitsUnredacted }: FinalContent,
): Promise<void> {
  const { database, webhooks, clock, buildRecordingRemoval } = dependencies
  const { call } = endedCall
  const { policy: plannedPolicy, items } = loadedPlan.plan
  const newAnalysis = items.length > 0 ? completedAnalysis : null
  const markup = await readMarkup(database.read, call.workspace_id)
  const analysis = newAnalysis?.analysis ?? readStoredAnalysis(call)
  const redactWith = (redactionPolicy: StoragePolicy) =>
    redactStoredCall(endedCall, { policy: redactionPolicy, analysis }, dependencies)
  const { policy, result: redactedCall } = await redactOrOmit(plannedPolicy, redactWith, omitsUnredacted)
  const webhookStatements =
    newAnalysis === null
      ? []
      : await buildEventStatements(webhooks, 'call_analyzed', toCallEventTarget(call, loadedPlan))
  const columns: Partial<CallRow> = {
    ...redactedCall.columns,
    ...buildAnalysisColumns(redactedCall.analysis),
    ...addUsageCosts(dependencies, call, { usages: newAnalysis?.usages ?? [], markup }),
    storage: JSON.stringify(policy),
    stored_as: policy.setting,
    due_at: computeDeletionTime(policy, call.ended_at ?? clock.now()),
  }
  await database.batch([
    buildCallUpdate(database, call, columns),
    ...buildRewriteStatements(database, endedCall, redactedCall.events),
    ...(redactedCall.keepsRecording || !wasJoined(call) ? [] : [buildRecordingRemoval(call.call_id)]),
    ...webhookStatements,
  ])
}

export function createFinalizeCallHandler(dependencies: FinalizeCallDependencies): JobHandler {
  return {
    ...FINALIZE_RETRIES,
    async run(job, signal) {
      await finalizeCall(dependencies, parseCallId(job), getAttemptOptions(job.attempt, signal))
    },
  }
}

function parseCallId({ payload }: Job): string {
  return String((payload as { readonly callId?: unknown }).callId)
}
