import { CALL_ANALYSIS_PRESETS } from '@parley/contract/after-conversation'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Job, JobHandler } from '../../../kernel/work/jobs.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import type { AgentUse } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import { readMarkup } from '../../workspaces/public.ts'
import {
  type AnalyzeDependencies,
  type CompletedAnalysis,
  type FinalContent,
  requireAnalysis,
} from '../analysis/analyze-ended.ts'
import { FINALIZE_RETRIES, optionsOfAttempt, retryConflicts } from '../due-work.ts'
import type { StoredUsage } from '../policy/plan-post-processing.ts'
import {
  eventStatements,
  type FinalizeOptions,
  type LoadedPlan,
  needsFinalizing,
  type PostProcessingPlan,
  planPostProcessing,
} from '../policy/plan-post-processing.ts'
import { deletionTime, readPolicy, type StoragePolicy } from '../policy/storage-policy.ts'
import { type RedactionRunner, redactOrOmit } from '../redaction-tasks.ts'
import { analyzeCall, loadCallAgents } from './analyze-call.ts'
import { addItems, analysisItems, type CallPrices, type CostColumns, type CostItem, costColumns } from './call-cost.ts'
import {
  analysisColumns,
  analysisOf,
  type EndedCall,
  findCallRow,
  isEnded,
  readCallEvents,
  rewriteEvents,
  updateEndedCall,
} from './ended-call-store.ts'
import { type DeleteRecording, redactStoredCall, type TranscriptOf } from './redact-stored-call.ts'

/** Kind of the jobs that process ended calls. */
export const CALL_ENDED = 'call-ended'

export interface FinalizeCallDependencies extends AnalyzeDependencies, CallPrices {
  readonly database: Database
  readonly agents: Pick<AgentUse, 'load' | 'preview'>
  readonly webhooks: WebhookEvents
  readonly transcriptOf: TranscriptOf
  readonly deleteRecording: DeleteRecording
  readonly redaction: RedactionRunner
}

export async function loadCallPlan(
  { agents }: Pick<FinalizeCallDependencies, 'agents'>,
  call: CallRow,
): Promise<LoadedPlan> {
  const loaded = await loadCallAgents(agents, call)
  return { plan: planPostProcessing(readPolicy(call.storage), loaded, CALL_ANALYSIS_PRESETS), agents: loaded }
}

/** Whether the caller joined. A call without a caller has no conversation. */
export const wasJoined = ({ started_at }: Pick<CallRow, 'started_at'>): boolean => started_at !== null

/**
 * Processes an ended call: analyzes it and applies its storage setting. Idempotent, and keeps completed steps. Throws on
 * temporary model failures.
 */
export async function finalizeCall(
  dependencies: FinalizeCallDependencies,
  callId: string,
  options: FinalizeOptions,
): Promise<void> {
  const { database } = dependencies
  let found = null as CompletedAnalysis | null
  const isWritten = await retryConflicts(async () => {
    const call = await findCallRow(database.read, callId)
    if (call === null || !isEnded(call)) return false
    const loadedPlan = await loadCallPlan(dependencies, call)
    if (!needsFinalizing(call, loadedPlan.plan)) return false
    const ended = { call, events: await readCallEvents(database.read, callId) }
    if (call.stored_as === null && wasJoined(call))
      found ??= await analyze(dependencies, ended, loadedPlan.plan, options)
    await write(dependencies, ended, { loadedPlan, found, omitsUnredacted: options.omitsUnredacted })
    return true
  })
  // Another run stored its result first, but the usage of this run still counts.
  if (!isWritten && found !== null) await recordUsages(dependencies, callId, found.usages)
}

async function analyze(
  dependencies: FinalizeCallDependencies,
  ended: EndedCall,
  { items, modelNames }: PostProcessingPlan,
  { usesModels, signal }: FinalizeOptions,
): Promise<CompletedAnalysis> {
  const plan = { items, modelNames: usesModels ? modelNames : [], signal }
  const outcome = await analyzeCall(dependencies, ended, plan)
  return await requireAnalysis(outcome, (usages) => recordUsages(dependencies, ended.call.call_id, usages))
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
    const costs = withUsages(dependencies, call, { usages, markup })
    await transaction.updateTable('calls').set(costs).where('call_id', '=', callId).execute()
  })
}

/** Adds the usage of an analysis to the costs of a call. */
export function withUsages(
  prices: Pick<CallPrices, 'costOf'>,
  call: CallRow,
  { usages, markup }: { readonly usages: readonly StoredUsage[]; readonly markup: number },
): Partial<CostColumns> {
  if (usages.length === 0) return {}
  const items = JSON.parse(call.cost_breakdown) as readonly CostItem[]
  return costColumns(addItems(items, analysisItems(usages, prices)), markup, call)
}

/** Builds a webhook event about a call. */
export function eventOf(call: Pick<CallRow, 'call_id' | 'workspace_id'>, { agents }: Pick<LoadedPlan, 'agents'>) {
  return { workspaceId: call.workspace_id, subject: { kind: 'call', id: call.call_id } as const, agents }
}

async function write(
  dependencies: FinalizeCallDependencies,
  ended: EndedCall,
  { loadedPlan, found, omitsUnredacted }: FinalContent,
): Promise<void> {
  const { database, webhooks, clock, deleteRecording } = dependencies
  const { call } = ended
  const { policy: planned, items } = loadedPlan.plan
  const outcome = items.length > 0 ? found : null
  const markup = await readMarkup(database.read, call.workspace_id)
  const analysis = outcome?.analysis ?? analysisOf(call)
  const redacting = (by: StoragePolicy) => redactStoredCall(ended, { policy: by, analysis }, dependencies)
  const { policy, result: redacted } = await redactOrOmit(planned, redacting, omitsUnredacted)
  const webhookStatements =
    outcome === null ? [] : await eventStatements(webhooks, 'call_analyzed', eventOf(call, loadedPlan))
  const columns: Partial<CallRow> = {
    ...redacted.columns,
    ...analysisColumns(redacted.analysis),
    ...withUsages(dependencies, call, { usages: outcome?.usages ?? [], markup }),
    storage: JSON.stringify(policy),
    stored_as: policy.setting,
    due_at: deletionTime(policy, call.ended_at ?? clock.now()),
  }
  await database.batch([
    updateEndedCall(database, call, columns),
    ...rewriteEvents(database, ended, redacted.events),
    ...(redacted.keepsRecording || !wasJoined(call) ? [] : [deleteRecording(call.call_id)]),
    ...webhookStatements,
  ])
}

export function createFinalizeCallHandler(dependencies: FinalizeCallDependencies): JobHandler {
  return {
    ...FINALIZE_RETRIES,
    async run(job, signal) {
      await finalizeCall(dependencies, readCallId(job), optionsOfAttempt(job.attempt, signal))
    },
  }
}

function readCallId({ payload }: Job): string {
  return String((payload as { readonly callId?: unknown }).callId)
}
