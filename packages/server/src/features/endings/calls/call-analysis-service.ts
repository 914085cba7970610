import type { Call } from '@parley/contract/call'
import { type Actor, mayInWorkspace } from '../../../kernel/actor.ts'
import { BatchConflictError } from '../../../kernel/database.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { CallRow } from '../../../kernel/tables/call-tables.ts'
import { AnalysisFailedError } from '../analysis/analyse-ended.ts'
import type { StoredUsage } from '../endings-ports.ts'
import { webhooksOf } from '../policy/holding-agents.ts'
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
  type LoadedCallEnding,
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
  analyse(actor: Actor, callId: string, signal: AbortSignal): Promise<Call>
}

/** A call that is written to at the same time keeps the later analysis and the usage of both. */
const MOST_TRIES = 5

export function createCallAnalysisService(dependencies: CallAnalysisDependencies): CallAnalysisService {
  const { database, readCallFor } = dependencies

  async function find(actor: Actor, callId: string): Promise<CallRow> {
    const call = await findCallRow(database.read, callId)
    if (call === null || !actor.workspaces.has(call.workspace_id)) throw notFound('call', callId)
    if (!mayInWorkspace(actor, 'calls', call.workspace_id)) {
      throw new AppError('forbidden', 'This needs a higher role in the workspace of the call.')
    }
    if (!isOver(call)) throw new AppError('in_use', `The call is ${call.status}. It can be analysed when it is over.`)
    if (!wasJoined(call))
      throw new AppError('call_not_stored', 'Nobody spoke in the call: there is nothing to analyse.')
    if (call.stored_as === 'basic_attributes_only') throw notStored()
    return call
  }

  return {
    async analyse(actor, callId, signal) {
      const call = await find(actor, callId)
      try {
        // Nobody came to it yet: the first analysis is the one that is asked for.
        if (call.stored_as === null) await settleCall(dependencies, callId, { asksModels: true, signal })
        else await analyseAgain(dependencies, call, signal)
      } catch (error) {
        throw error instanceof AnalysisFailedError ? modelFailed(error) : error
      }
      return await readCallFor(actor, callId)
    },
  }
}

async function analyseAgain(dependencies: SettleCallDependencies, call: CallRow, signal: AbortSignal): Promise<void> {
  const ending = await loadCallEnding(dependencies, call)
  const ended = { call, events: await readCallEvents(dependencies.database.read, call.call_id) }
  const outcome = await analyseCall(dependencies, ended, { ...ending.plan, signal })
  if (outcome.type !== 'found') {
    await keepUsages(dependencies, call, outcome.usages)
    throw new AnalysisFailedError(outcome)
  }
  const { policy } = ending.plan
  const { analysis } = redactStoredCall(ended, { policy, analysis: outcome.analysis }, dependencies.transcriptOf)
  await store(dependencies, call, { ending, columns: analysisColumns(analysis), usages: outcome.usages })
}

interface NewAnalysis {
  readonly ending: LoadedCallEnding
  readonly columns: ReturnType<typeof analysisColumns>
  readonly usages: readonly StoredUsage[]
}

async function store(
  dependencies: SettleCallDependencies,
  call: CallRow,
  { ending, columns, usages }: NewAnalysis,
): Promise<void> {
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
  for (let attempt = 1; ; attempt += 1) {
    const now = await findCallRow(database.read, call.call_id)
    if (now === null) throw notFound('call', call.call_id)
    // Less of it is stored by now than this analysis was made from.
    if (now.stored_as !== call.stored_as) throw notStored()
    const costs = withUsages(dependencies, now, { usages, markup })
    try {
      return await database.batch([updateEndedCall(database, now, { ...columns, ...costs }), ...told])
    } catch (error) {
      if (!(error instanceof BatchConflictError) || attempt >= MOST_TRIES) throw error
    }
  }
}

function notStored(): AppError {
  const message = 'Nothing that was said in the call is stored any more, so that it cannot be analysed again.'
  return new AppError('call_not_stored', message)
}

function modelFailed({ isTimeout, message }: AnalysisFailedError): AppError {
  return new AppError(
    isTimeout ? 'provider_timeout' : 'provider_error',
    `The call was not analysed, and what was known of it stays: ${message}`,
  )
}
