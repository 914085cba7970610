import type { Call } from '@parley/contract/call'
import { type Actor, checkReach } from '../../../kernel/access/actor.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import { foundOrThrown, NEVER, tellFailure } from '../analysis/analyse-ended.ts'
import type { StoredUsage } from '../endings-ports.ts'
import { webhooksOf } from '../policy/holding-agents.ts'
import type { LoadedEnding } from '../policy/plan-ending.ts'
import { retryConflicts } from '../retry-conflicts.ts'
import { analyseCall } from './analyse-call.ts'
import {
  analysisColumns,
  findCallRow,
  isOver,
  readCallEvents,
  readMarkup,
  updateEndedCall,
} from './ended-call-store.ts'
import { redactStoredCall } from './redact-stored-call.ts'
import {
  keepUsages,
  loadCallEnding,
  type SettleCallDependencies,
  settleCall,
  wasJoined,
  withUsages,
} from './settle-call.ts'

export interface CallAnalysisDependencies extends SettleCallDependencies {
  /** The whole call as its reader may see it. */
  readonly readCallFor: (actor: Actor, callId: string) => Promise<Call>
}

/** Finds out about a call once more, from what is stored of it. */
export interface CallAnalysisService {
  analyse(actor: Actor, callId: string): Promise<Call>
}

export function createCallAnalysisService(dependencies: CallAnalysisDependencies): CallAnalysisService {
  const { database, readCallFor } = dependencies

  async function find(actor: Actor, callId: string): Promise<CallRow> {
    const row = await findCallRow(database.read, callId)
    const call = checkReach(actor, 'calls', { what: 'call', id: callId, row })
    if (!isOver(call)) throw new AppError('in_use', `The call is ${call.status}. It can be analysed when it is over.`)
    if (!wasJoined(call))
      throw new AppError('call_not_stored', 'Nobody spoke in the call: there is nothing to analyse.')
    if (call.stored_as === 'basic_attributes_only') throw notStored()
    return call
  }

  /** False: less of the call is stored by now than was analysed. */
  async function analyse(call: CallRow): Promise<boolean> {
    if (call.stored_as !== null) return await analyseAgain(dependencies, call)
    // Nobody came to it yet: the first analysis is the one that is asked for.
    await settleCall(dependencies, call.call_id, { asksModels: true, withholds: false, signal: NEVER })
    return true
  }

  return {
    async analyse(actor, callId) {
      try {
        // What is stored only ever becomes less.
        while (!(await analyse(await find(actor, callId))));
      } catch (error) {
        throw tellFailure(error, 'call')
      }
      return await readCallFor(actor, callId)
    },
  }
}

/** False: less of the call is stored by now than this analysis was made from, so that it tells too much. */
async function analyseAgain(dependencies: SettleCallDependencies, call: CallRow): Promise<boolean> {
  const ending = await loadCallEnding(dependencies, call)
  const ended = { call, events: await readCallEvents(dependencies.database.read, call.call_id) }
  const outcome = await analyseCall(dependencies, ended, { ...ending.plan, signal: NEVER })
  const keep = (usages: readonly StoredUsage[]) => keepUsages(dependencies, call.call_id, usages)
  const { analysis: found, usages } = await foundOrThrown(outcome, keep)
  const { policy } = ending.plan
  const { analysis } = await redactStoredCall(ended, { policy, analysis: found }, dependencies)
  const isStored = await store(dependencies, call, { ending, columns: analysisColumns(analysis), usages })
  if (!isStored) await keep(usages)
  return isStored
}

interface NewAnalysis {
  readonly ending: LoadedEnding
  readonly columns: ReturnType<typeof analysisColumns>
  readonly usages: readonly StoredUsage[]
}

/** A call that is written to at the same time keeps the later analysis and the usage of both. */
async function store(
  dependencies: SettleCallDependencies,
  call: CallRow,
  { ending, columns, usages }: NewAnalysis,
): Promise<boolean> {
  const { database, webhooks } = dependencies
  const [markup, told] = await Promise.all([
    readMarkup(database.read, call.workspace_id),
    webhooks.statements({
      workspaceId: call.workspace_id,
      event: 'call_analyzed',
      subject: { kind: 'call', id: call.call_id },
      agents: webhooksOf(ending.agents),
    }),
  ])
  return await retryConflicts(async () => {
    const now = await findCallRow(database.read, call.call_id)
    if (now === null) throw notFound('call', call.call_id)
    if (now.stored_as !== call.stored_as) return false
    const costs = withUsages(dependencies, now, { usages, markup })
    await database.batch([updateEndedCall(database, now, { ...columns, ...costs }), ...told])
    return true
  })
}

function notStored(): AppError {
  const message = 'Nothing that was said in the call is stored any more, so that it cannot be analysed again.'
  return new AppError('call_not_stored', message)
}
