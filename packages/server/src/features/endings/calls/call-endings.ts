import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { AgentOnPath, CallRow } from '../../../tables/call-tables.ts'
import type { AfterConversation, AgentUse, PinnedAgent } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import { LOST_JOB_MS } from '../look-after.ts'
import { type HoldingAgent, webhooksOf } from '../policy/holding-agents.ts'
import { policyWith } from '../policy/plan-ending.ts'
import { policyOf, readPolicy, strictestWith, tightened } from '../policy/storage-policy.ts'
import { type CallPrices, type CallUsage, costColumns, costItems } from './call-cost.ts'
import { type CallPath, loadCallAgents } from './call-holders.ts'
import { findCallRow, isOver, readMarkup } from './ended-call-store.ts'
import type { ForgetRecording } from './redact-stored-call.ts'
import { CALL_ENDED } from './settle-call.ts'

/** A call as those who hear of it need it. */
export type HeardCall = CallPath & Pick<CallRow, 'call_id'>

/** An agent that a call goes on with. */
type NextAgent = Pick<PinnedAgent, 'agentId' | 'agentVersion' | 'afterwards'>

/** What whoever begins, holds, ends and deletes calls has to write for their time afterwards. */
export interface CallEndings {
  /** The storage policy that a call carries from its beginning. Opting out leaves nothing of what is said. */
  start(afterwards: AfterConversation, optOut: boolean): Pick<CallRow, 'storage'>
  /**
   * The call goes on with another agent: it is told of what is said from now on, as the hand-over says, and the stricter policy of
   * both holds, even if that agent is deleted.
   */
  handOver(callId: string, to: NextAgent, settings: SwapSettings): Promise<void>
  /** Lets less of a call be stored, of one that is over as well. Throws `invalid_request` where it would be more. */
  tightenStorage(
    call: Pick<CallRow, 'call_id' | 'workspace_id' | 'status' | 'storage' | 'stored_as'>,
    setting: DataStorageSetting,
  ): readonly BatchStatement[]
  /** Its caller has come. */
  started(call: HeardCall): Promise<readonly BatchStatement[]>
  /** Turns of these calls are over: belongs into the commit of what was said in them. */
  turnsEnded(callIds: readonly string[]): Promise<readonly BatchStatement[]>
  /**
   * The call is over: what it cost, its end as webhooks are told it, and the job that sees to the rest. Belongs into the commit
   * that ends it, behind the statement that does.
   */
  ended(call: HeardCall & Pick<CallRow, 'storage'>, usage: readonly CallUsage[]): Promise<readonly BatchStatement[]>
  /** The call is deleted, and with it what was told of it and its recording. */
  removed(call: Pick<CallRow, 'call_id'>): readonly BatchStatement[]
}

export interface CallEndingsDependencies extends CallPrices {
  readonly database: Pick<Database, 'compile' | 'read' | 'transaction'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly jobs: Pick<JobQueue, 'statement'>
  readonly agents: Pick<AgentUse, 'load' | 'preview'>
  readonly webhooks: WebhookEvents
  readonly forgetRecording: ForgetRecording
}

export function createCallEndings(dependencies: CallEndingsDependencies): CallEndings {
  const { database, clock, jobs, webhooks } = dependencies
  const tell = (event: WebhookEventName, call: HeardCall) => callStatements(dependencies, event, call)

  return {
    start(afterwards, optOut) {
      const policy = policyOf(afterwards)
      return { storage: JSON.stringify(optOut ? { ...policy, setting: 'basic_attributes_only' } : policy) }
    },

    async handOver(callId, { agentId, agentVersion, afterwards }, settings) {
      const next: AgentOnPath = { agentId, agentVersion, at: new Date(clock.now()).toISOString(), handOver: settings }
      await database.transaction(async (transaction) => {
        const call = await findCallRow(transaction, callId)
        // The end of a call writes the whole path, from its record.
        if (call === null || isOver(call)) return
        const storage = JSON.stringify(strictestWith(readPolicy(call.storage), [policyOf(afterwards)]))
        const agent_path = JSON.stringify([...(JSON.parse(call.agent_path) as AgentOnPath[]), next])
        await transaction.updateTable('calls').set({ storage, agent_path }).where('call_id', '=', callId).execute()
      })
    },

    tightenStorage(call, setting) {
      const policy = tightened(call, setting)
      if (policy === null) return []
      const storage = JSON.stringify(policy)
      const query = database.compile.updateTable('calls').set({ storage }).where('call_id', '=', call.call_id)
      return isOver(call) ? [{ query: query.compile() }, jobStatement(jobs, call)] : [{ query: query.compile() }]
    },

    started: (call) => tell('call_started', call),

    async turnsEnded(callIds) {
      const calls = await Promise.all(callIds.map((callId) => findCallRow(database.read, callId)))
      // Ended elsewhere meanwhile, the call has been told of, and what this node heard is not written down.
      const live = calls.filter((call) => call?.status === 'ongoing')
      const told = await Promise.all(live.map((call) => (call === null ? [] : tell('transcript_updated', call))))
      return told.flat()
    },

    ended: (call, usage) => endStatements(dependencies, call, usage),

    removed: ({ call_id: id }) => [...webhooks.forget({ kind: 'call', id }), dependencies.forgetRecording(id)],
  }
}

async function callStatements(
  { agents, webhooks }: Pick<CallEndingsDependencies, 'agents' | 'webhooks'>,
  event: WebhookEventName,
  call: HeardCall,
): Promise<readonly BatchStatement[]> {
  return await eventStatements(webhooks, event, { call, holders: await loadCallAgents(agents, call) })
}

async function eventStatements(
  webhooks: Pick<WebhookEvents, 'statements'>,
  event: WebhookEventName,
  { call, holders }: { readonly call: HeardCall; readonly holders: readonly HoldingAgent[] },
): Promise<readonly BatchStatement[]> {
  const subject = { kind: 'call', id: call.call_id } as const
  const agents = webhooksOf(holders)
  return await webhooks.statements({ workspaceId: call.workspace_id, event, subject, agents })
}

function jobStatement(
  jobs: CallEndingsDependencies['jobs'],
  { call_id: callId, workspace_id: workspaceId }: Pick<CallRow, 'call_id' | 'workspace_id'>,
): BatchStatement {
  return jobs.statement({ kind: CALL_ENDED, payload: { callId }, workspaceId })
}

/** What is told of the end must not wait for a hand-over that has not got to the row, and whoever made it stricter meanwhile wins. */
function keepStrictest(
  { compile }: Pick<Database, 'compile'>,
  { call_id, storage: before }: Pick<CallRow, 'call_id' | 'storage'>,
  holders: readonly HoldingAgent[],
): readonly BatchStatement[] {
  const storage = JSON.stringify(policyWith(readPolicy(before), holders))
  if (storage === before) return []
  const query = compile
    .updateTable('calls')
    .set({ storage })
    .where('call_id', '=', call_id)
    .where('storage', before === null ? 'is' : '=', before)
  return [{ query: query.compile() }]
}

async function endStatements(
  dependencies: CallEndingsDependencies,
  call: HeardCall & Pick<CallRow, 'storage'>,
  usage: readonly CallUsage[],
): Promise<readonly BatchStatement[]> {
  const { agents, database, clock, jobs, webhooks } = dependencies
  const holders = await loadCallAgents(agents, call)
  const [markup, told] = await Promise.all([
    readMarkup(database.read, call.workspace_id),
    eventStatements(webhooks, 'call_ended', { call, holders }),
  ])
  const costs = costColumns(costItems(usage, dependencies), markup)
  const query = database.compile
    .updateTable('calls')
    .set({ ...costs, due_at: clock.now() + LOST_JOB_MS })
    .where('call_id', '=', call.call_id)
    .where('stored_as', 'is', null)
  return [{ query: query.compile() }, ...keepStrictest(database, call, holders), jobStatement(jobs, call), ...told]
}
