import type { Call } from '@parley/contract/call'
import { analyseCall } from '@parley/contract/call-control'
import { type Actor, requireRowAccess } from '../../../kernel/access/actor.ts'
import { type Api, implement } from '../../../kernel/api/implement.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import { readMarkup } from '../../workspaces/public.ts'
import { ON_DEMAND_OPTIONS, requireAnalysis, toAnalysisError } from '../analysis/analyze-ended.ts'
import { retryConflicts } from '../due-work.ts'
import type { LoadedPlan, StoredUsage } from '../policy/plan-post-processing.ts'
import { buildEventStatements } from '../policy/plan-post-processing.ts'
import { analyzeCall } from './analyze-call.ts'
import { buildAnalysisColumns, buildCallUpdate, findCallRow, isEnded, readCallEvents } from './ended-call-store.ts'
import {
  addUsageCosts,
  type FinalizeCallDependencies,
  finalizeCall,
  loadCallPlan,
  recordUsages,
  toCallEventTarget,
  wasJoined,
} from './finalize-call.ts'
import { redactStoredCall } from './redact-stored-call.ts'

export interface CallAnalysisDependencies extends FinalizeCallDependencies {
  /** Reads a call with the fields that the actor can see. */
  readonly getCall: (actor: Actor, callId: string) => Promise<Call>
}

/** Repeats the analysis of a call from its stored content. */
export interface CallAnalysisService {
  analyze(actor: Actor, callId: string): Promise<Call>
}

export function createCallAnalysisService(dependencies: CallAnalysisDependencies): CallAnalysisService {
  const { database, getCall } = dependencies

  async function findCall(actor: Actor, callId: string): Promise<CallRow> {
    const row = await findCallRow(database.read, callId)
    const call = requireRowAccess(actor, 'calls', { resourceName: 'call', id: callId, row })
    if (!isEnded(call)) throw new AppError('in_use', `The call is ${call.status}. It can be analyzed after it ends.`)
    if (!wasJoined(call)) throw new AppError('call_not_stored', 'The call has no transcript to analyze.')
    if (call.stored_as === 'basic_attributes_only') throw createNotStoredError()
    return call
  }

  /** Returns false if the stored content was reduced during the analysis. */
  async function analyzeStoredCall(call: CallRow): Promise<boolean> {
    if (call.stored_as !== null) return await reanalyze(dependencies, call)
    // The call was not processed yet, so this becomes its first analysis.
    await finalizeCall(dependencies, call.call_id, ON_DEMAND_OPTIONS)
    return true
  }

  return {
    async analyze(actor, callId) {
      try {
        // The loop ends because the stored content can only shrink.
        while (!(await analyzeStoredCall(await findCall(actor, callId))));
      } catch (error) {
        throw toAnalysisError(error, 'call')
      }
      return await getCall(actor, callId)
    },
  }
}

/**
 * Repeats an analysis. Returns false if the stored content was reduced during the analysis, because the result could
 * reveal removed content.
 */
async function reanalyze(dependencies: FinalizeCallDependencies, call: CallRow): Promise<boolean> {
  const loadedPlan = await loadCallPlan(dependencies, call)
  const endedCall = { call, events: await readCallEvents(dependencies.database.read, call.call_id) }
  const outcome = await analyzeCall(dependencies, endedCall, { ...loadedPlan.plan, signal: ON_DEMAND_OPTIONS.signal })
  const recordUsage = (usages: readonly StoredUsage[]) => recordUsages(dependencies, call.call_id, usages)
  const { analysis: unredactedAnalysis, usages } = await requireAnalysis(outcome, recordUsage)
  const { policy } = loadedPlan.plan
  const { analysis } = await redactStoredCall(endedCall, { policy, analysis: unredactedAnalysis }, dependencies)
  const isStored = await storeAnalysis(dependencies, call, {
    loadedPlan,
    columns: buildAnalysisColumns(analysis),
    usages,
  })
  if (!isStored) await recordUsage(usages)
  return isStored
}

interface NewAnalysis {
  readonly loadedPlan: LoadedPlan
  readonly columns: ReturnType<typeof buildAnalysisColumns>
  readonly usages: readonly StoredUsage[]
}

/** Stores the result. Of two concurrent analyses, the later result is kept with the usage of both. */
async function storeAnalysis(
  dependencies: FinalizeCallDependencies,
  call: CallRow,
  { loadedPlan, columns, usages }: NewAnalysis,
): Promise<boolean> {
  const { database, webhooks } = dependencies
  const [markup, webhookStatements] = await Promise.all([
    readMarkup(database.read, call.workspace_id),
    buildEventStatements(webhooks, 'call_analyzed', toCallEventTarget(call, loadedPlan)),
  ])
  return await retryConflicts(async () => {
    const currentCall = await findCallRow(database.read, call.call_id)
    if (currentCall === null) throw notFound('call', call.call_id)
    if (currentCall.stored_as !== call.stored_as) return false
    const costs = addUsageCosts(dependencies, currentCall, { usages, markup })
    await database.batch([buildCallUpdate(database, currentCall, { ...columns, ...costs }), ...webhookStatements])
    return true
  })
}

function createNotStoredError(): AppError {
  const message = 'The transcript of the call is no longer stored, so it cannot be analyzed again.'
  return new AppError('call_not_stored', message)
}

/** Registers the call analysis route. The analysis completes even if the client disconnects. */
export function registerCallAnalysisRoutes(api: Api, service: CallAnalysisService): void {
  implement(api, analyseCall, async ({ path }, { actor }) => ({
    success: true as const,
    call: await service.analyze(actor, path.callId),
  }))
}
