import { CALL_ANALYSIS_PRESETS } from '@parley/contract/after-conversation'
import { BatchConflictError, type Database } from '../../../kernel/database.ts'
import type { AgentUse } from '../../../kernel/pinned-agent.ts'
import type { CallRow } from '../../../kernel/tables/call-tables.ts'
import type { WebhookEvents } from '../../../kernel/webhook-events.ts'
import { type AnalyseDependencies, AnalysisFailedError, type EndedAnalysisOutcome } from '../analysis/analyse-ended.ts'
import type { StoredUsage } from '../endings-ports.ts'
import { type HoldingAgent, webhooksOf } from '../policy/holding-agents.ts'
import { type EndingPlan, planEnding } from '../policy/plan-ending.ts'
import { deletionTime, isStricter, readPolicy } from '../policy/storage-policy.ts'
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

export interface SettleCallDependencies extends AnalyseDependencies, CallPrices {
  readonly database: Database
  readonly agents: Pick<AgentUse, 'load' | 'preview'>
  readonly webhooks: WebhookEvents
  readonly transcriptOf: TranscriptOf
  readonly forgetRecording: ForgetRecording
}

export interface SettleCallOptions {
  /** False: rules find out what they can. */
  readonly asksModels: boolean
  readonly signal: AbortSignal
}

/** What a call needs, and whose webhooks are told of it. */
export interface LoadedCallEnding {
  readonly plan: EndingPlan
  readonly agents: readonly HoldingAgent[]
}

export async function loadCallEnding(
  { agents }: Pick<SettleCallDependencies, 'agents'>,
  call: CallRow,
): Promise<LoadedCallEnding> {
  const loaded = await loadCallAgents(agents, call)
  return { plan: planEnding(readPolicy(call.storage), loaded, CALL_ANALYSIS_PRESETS), agents: loaded }
}

/** Nobody spoke in a call that was not joined. */
export const wasJoined = ({ started_at }: Pick<CallRow, 'started_at'>): boolean => started_at !== null

/** A call that is written to meanwhile is read again. */
const MOST_TRIES = 5

/**
 * Does what is left to do about a call that is over: analyses it and applies its storage setting. May be done again and again;
 * what was done stays. Throws when models fail in a way that may pass.
 */
export async function settleCall(
  dependencies: SettleCallDependencies,
  callId: string,
  options: SettleCallOptions,
): Promise<void> {
  const { database } = dependencies
  let found: EndedAnalysisOutcome | null = null
  for (let attempt = 1; ; attempt += 1) {
    const call = await findCallRow(database.read, callId)
    if (call === null || !isOver(call)) return
    const ending = await loadCallEnding(dependencies, call)
    if (!isLeftToDo(call, ending.plan)) return
    const ended = { call, events: await readCallEvents(database.read, callId) }
    if (call.stored_as === null && wasJoined(call)) found ??= await analyse(dependencies, ended, ending.plan, options)
    try {
      return await write(dependencies, ended, { ending, found })
    } catch (error) {
      if (!(error instanceof BatchConflictError) || attempt >= MOST_TRIES) throw error
    }
  }
}

function isLeftToDo({ stored_as }: CallRow, { policy }: EndingPlan): boolean {
  return stored_as === null || isStricter(policy.setting, stored_as as typeof policy.setting)
}

async function analyse(
  dependencies: SettleCallDependencies,
  ended: EndedCall,
  { items, modelNames }: EndingPlan,
  { asksModels, signal }: SettleCallOptions,
): Promise<EndedAnalysisOutcome> {
  const plan = { items, modelNames: asksModels ? modelNames : [], signal }
  const outcome = await analyseCall(dependencies, ended, plan)
  if (outcome.type === 'found') return outcome
  await keepUsages(dependencies, ended.call, outcome.usages)
  throw new AnalysisFailedError(outcome)
}

/** What was used in vain was used all the same. */
export async function keepUsages(
  dependencies: SettleCallDependencies,
  { call_id, workspace_id }: CallRow,
  usages: readonly StoredUsage[],
): Promise<void> {
  const { database } = dependencies
  if (usages.length === 0) return
  const markup = await readMarkup(database.read, workspace_id)
  await database.transaction(async (transaction) => {
    const call = await findCallRow(transaction, call_id)
    if (call === null) return
    const costs = withUsages(dependencies, call, { usages, markup })
    await transaction.updateTable('calls').set(costs).where('call_id', '=', call_id).execute()
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
  { ending, found }: { readonly ending: LoadedCallEnding; readonly found: EndedAnalysisOutcome | null },
): Promise<void> {
  const { database, webhooks, clock, transcriptOf, forgetRecording } = dependencies
  const { call } = ended
  const { policy, items } = ending.plan
  const outcome = found?.type === 'found' && items.length > 0 ? found : null
  const markup = await readMarkup(database.read, call.workspace_id)
  const analysis = outcome?.analysis ?? analysisOf(call)
  const redacted = redactStoredCall(ended, { policy, analysis }, transcriptOf)
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
