import { CALL_ANALYSIS_PRESETS } from '@parley/contract/after-conversation'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Job, JobHandler } from '../../../kernel/work/jobs.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import type { AgentUse } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import { type AnalyseDependencies, type FoundAnalysis, foundOrThrown } from '../analysis/analyse-ended.ts'
import type { StoredUsage } from '../endings-ports.ts'
import { webhooksOf } from '../policy/holding-agents.ts'
import {
  type EndingPlan,
  isLeftToDo,
  type LoadedEnding,
  planEnding,
  type SettleOptions,
} from '../policy/plan-ending.ts'
import { deletionTime, readPolicy, type StoragePolicy } from '../policy/storage-policy.ts'
import { type RedactionRunner, redactOrWithhold } from '../redaction-tasks.ts'
import { retryConflicts } from '../retry-conflicts.ts'
import { asksModelsAt, SETTLE_ATTEMPTS, withholdsAt } from '../settle-attempts.ts'
import { analyseCall } from './analyse-call.ts'
import { addItems, analysisItems, type CallPrices, type CostColumns, type CostItem, costColumns } from './call-cost.ts'
import { loadCallAgents } from './call-holders.ts'
import {
  analysisColumns,
  analysisOf,
  type EndedCall,
  findCallRow,
  isOver,
  readCallEvents,
  readMarkup,
  rewriteEvents,
  updateEndedCall,
} from './ended-call-store.ts'
import { type ForgetRecording, redactStoredCall, type TranscriptOf } from './redact-stored-call.ts'

/** Kind of the jobs that do what is left to do about a call that is over. */
export const CALL_ENDED = 'call-ended'

export interface SettleCallDependencies extends AnalyseDependencies, CallPrices {
  readonly database: Database
  readonly agents: Pick<AgentUse, 'load' | 'preview'>
  readonly webhooks: WebhookEvents
  readonly transcriptOf: TranscriptOf
  readonly forgetRecording: ForgetRecording
  readonly redaction: RedactionRunner
}

export async function loadCallEnding(
  { agents }: Pick<SettleCallDependencies, 'agents'>,
  call: CallRow,
): Promise<LoadedEnding> {
  const loaded = await loadCallAgents(agents, call)
  return { plan: planEnding(readPolicy(call.storage), loaded, CALL_ANALYSIS_PRESETS), agents: loaded }
}

/** Nobody spoke in a call that was not joined. */
export const wasJoined = ({ started_at }: Pick<CallRow, 'started_at'>): boolean => started_at !== null

/**
 * Does what is left to do about a call that is over: analyses it and applies its storage setting. May be done again and again;
 * what was done stays. Throws when models fail in a way that may pass.
 */
export async function settleCall(
  dependencies: SettleCallDependencies,
  callId: string,
  options: SettleOptions,
): Promise<void> {
  const { database } = dependencies
  let found = null as FoundAnalysis | null
  const isWritten = await retryConflicts(async () => {
    const call = await findCallRow(database.read, callId)
    if (call === null || !isOver(call)) return false
    const ending = await loadCallEnding(dependencies, call)
    if (!isLeftToDo(call, ending.plan)) return false
    const ended = { call, events: await readCallEvents(database.read, callId) }
    if (call.stored_as === null && wasJoined(call)) found ??= await analyse(dependencies, ended, ending.plan, options)
    await write(dependencies, ended, { ending, found, withholds: options.withholds })
    return true
  })
  // Somebody else was first: what was used was used all the same.
  if (!isWritten && found !== null) await keepUsages(dependencies, callId, found.usages)
}

async function analyse(
  dependencies: SettleCallDependencies,
  ended: EndedCall,
  { items, modelNames }: EndingPlan,
  { asksModels, signal }: SettleOptions,
): Promise<FoundAnalysis> {
  const plan = { items, modelNames: asksModels ? modelNames : [], signal }
  const outcome = await analyseCall(dependencies, ended, plan)
  return await foundOrThrown(outcome, (usages) => keepUsages(dependencies, ended.call.call_id, usages))
}

/** Counts what was used although nothing else of it is kept. */
export async function keepUsages(
  dependencies: SettleCallDependencies,
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

/** The costs of a call with those of an analysis. */
export function withUsages(
  prices: Pick<CallPrices, 'costOf'>,
  call: CallRow,
  { usages, markup }: { readonly usages: readonly StoredUsage[]; readonly markup: number },
): Partial<CostColumns> {
  if (usages.length === 0) return {}
  const items = JSON.parse(call.cost_breakdown) as readonly CostItem[]
  return costColumns(addItems(items, analysisItems(usages, prices)), markup, call)
}

async function write(
  dependencies: SettleCallDependencies,
  ended: EndedCall,
  {
    ending,
    found,
    withholds,
  }: Pick<SettleOptions, 'withholds'> & {
    readonly ending: LoadedEnding
    readonly found: FoundAnalysis | null
  },
): Promise<void> {
  const { database, webhooks, clock, forgetRecording } = dependencies
  const { call } = ended
  const { policy: planned, items } = ending.plan
  const outcome = items.length > 0 ? found : null
  const markup = await readMarkup(database.read, call.workspace_id)
  const analysis = outcome?.analysis ?? analysisOf(call)
  const redacting = (by: StoragePolicy) => redactStoredCall(ended, { policy: by, analysis }, dependencies)
  const { policy, result: redacted } = withholds
    ? await redactOrWithhold(planned, redacting)
    : { policy: planned, result: await redacting(planned) }
  const subject = { kind: 'call', id: call.call_id } as const
  const told =
    outcome === null
      ? []
      : await webhooks.statements({
          workspaceId: call.workspace_id,
          event: 'call_analyzed',
          subject,
          agents: webhooksOf(ending.agents),
        })
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
    ...(redacted.keepsSound || !wasJoined(call) ? [] : [forgetRecording(call.call_id)]),
    ...told,
  ])
}

export function createSettleCallHandler(dependencies: SettleCallDependencies): JobHandler {
  return {
    ...SETTLE_ATTEMPTS,
    async run(job, signal) {
      const { attempt } = job
      const options = { asksModels: asksModelsAt(attempt), withholds: withholdsAt(attempt), signal }
      await settleCall(dependencies, readCallId(job), options)
    },
  }
}

function readCallId({ payload }: Job): string {
  return String((payload as { readonly callId?: unknown }).callId)
}
