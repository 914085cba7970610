import type { Call } from '@parley/contract/call'
import { type Actor, checkReach } from '../../../kernel/access/actor.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import { NEVER_ABORTED, requireAnalysis, toAnalysisError } from '../analysis/analyze-ended.ts'
import { webhooksOf } from '../policy/conversation-agents.ts'
import type { LoadedPlan } from '../policy/plan-post-processing.ts'
import type { StoredUsage } from '../post-processing-ports.ts'
import { retryConflicts } from '../retry-conflicts.ts'
import { analyzeCall } from './analyze-call.ts'
import {
  analysisColumns,
  findCallRow,
  isEnded,
  readCallEvents,
  readMarkup,
  updateEndedCall,
} from './ended-call-store.ts'
import {
  type FinalizeCallDependencies,
  finalizeCall,
  loadCallPlan,
  recordUsages,
  wasJoined,
  withUsages,
} from './finalize-call.ts'
import { redactStoredCall } from './redact-stored-call.ts'

export interface CallAnalysisDependencies extends FinalizeCallDependencies {
  /** The whole call as its reader may see it. */
  readonly readCallFor: (actor: Actor, callId: string) => Promise<Call>
}

/** Finds out about a call once more, from what is stored of it. */
export interface CallAnalysisService {
  analyze(actor: Actor, callId: string): Promise<Call>
}

export function createCallAnalysisService(dependencies: CallAnalysisDependencies): CallAnalysisService {
  const { database, readCallFor } = dependencies

  async function find(actor: Actor, callId: string): Promise<CallRow> {
    const row = await findCallRow(database.read, callId)
    const call = checkReach(actor, 'calls', { what: 'call', id: callId, row })
    if (!isEnded(call)) throw new AppError('in_use', `The call is ${call.status}. It can be analysed when it is over.`)
    if (!wasJoined(call))
      throw new AppError('call_not_stored', 'Nobody spoke in the call: there is nothing to analyse.')
    if (call.stored_as === 'basic_attributes_only') throw notStored()
    return call
  }

  /** False: less of the call is stored by now than was analysed. */
  async function analyze(call: CallRow): Promise<boolean> {
    if (call.stored_as !== null) return await reanalyze(dependencies, call)
    // Nobody came to it yet: the first analysis is the one that is asked for.
    await finalizeCall(dependencies, call.call_id, { usesModels: true, omitsUnredacted: false, signal: NEVER_ABORTED })
    return true
  }

  return {
    async analyze(actor, callId) {
      try {
        // What is stored only ever becomes less.
        while (!(await analyze(await find(actor, callId))));
      } catch (error) {
        throw toAnalysisError(error, 'call')
      }
      return await readCallFor(actor, callId)
    },
  }
}

/** False: less of the call is stored by now than this analysis was made from, so that it tells too much. */
async function reanalyze(dependencies: FinalizeCallDependencies, call: CallRow): Promise<boolean> {
  const loadedPlan = await loadCallPlan(dependencies, call)
  const ended = { call, events: await readCallEvents(dependencies.database.read, call.call_id) }
  const outcome = await analyzeCall(dependencies, ended, { ...loadedPlan.plan, signal: NEVER_ABORTED })
  const record = (usages: readonly StoredUsage[]) => recordUsages(dependencies, call.call_id, usages)
  const { analysis: found, usages } = await requireAnalysis(outcome, record)
  const { policy } = loadedPlan.plan
  const { analysis } = await redactStoredCall(ended, { policy, analysis: found }, dependencies)
  const isStored = await store(dependencies, call, { loadedPlan, columns: analysisColumns(analysis), usages })
  if (!isStored) await record(usages)
  return isStored
}

interface NewAnalysis {
  readonly loadedPlan: LoadedPlan
  readonly columns: ReturnType<typeof analysisColumns>
  readonly usages: readonly StoredUsage[]
}

/** A call that is written to at the same time keeps the later analysis and the usage of both. */
async function store(
  dependencies: FinalizeCallDependencies,
  call: CallRow,
  { loadedPlan, columns, usages }: NewAnalysis,
): Promise<boolean> {
  const { database, webhooks } = dependencies
  const [markup, webhookStatements] = await Promise.all([
    readMarkup(database.read, call.workspace_id),
    webhooks.statements({
      workspaceId: call.workspace_id,
      event: 'call_analyzed',
      subject: { kind: 'call', id: call.call_id },
      agents: webhooksOf(loadedPlan.agents),
    }),
  ])
  return await retryConflicts(async () => {
    const now = await findCallRow(database.read, call.call_id)
    if (now === null) throw notFound('call', call.call_id)
    if (now.stored_as !== call.stored_as) return false
    const costs = withUsages(dependencies, now, { usages, markup })
    await database.batch([updateEndedCall(database, now, { ...columns, ...costs }), ...webhookStatements])
    return true
  })
}

function notStored(): AppError {
  const message = 'Nothing that was said in the call is stored any more, so that it cannot be analysed again.'
  return new AppError('call_not_stored', message)
}
