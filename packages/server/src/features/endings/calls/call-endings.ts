import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { Clock } from '@parley/engine/ports'
import type { BatchStatement, Database } from '../../../kernel/database.ts'
import type { JobQueue } from '../../../kernel/jobs.ts'
import type { AfterConversation, AgentUse } from '../../../kernel/pinned-agent.ts'
import type { CallRow } from '../../../kernel/tables/call-tables.ts'
import type { WebhookEvents } from '../../../kernel/webhook-events.ts'
import { LOST_JOB_MS } from '../look-after.ts'
import { webhooksOf } from '../policy/holding-agents.ts'
import { policyOf, readPolicy, strictestOf, tightened } from '../policy/storage-policy.ts'
import { type CallPrices, type CallUsage, costColumns, costItems } from './call-cost.ts'
import { type CallPath, loadCallAgents } from './call-holders.ts'
import { findCallRow, isOver, readMarkup } from './ended-call-store.ts'
import type { ForgetRecording } from './redact-stored-call.ts'
import { CALL_ENDED } from './settle-call-job.ts'

/** A call as those who hear of it need it. */
export type HeardCall = CallPath & Pick<CallRow, 'call_id'>

/** What whoever begins, holds, ends and deletes calls has to write for their time afterwards. */
export interface CallEndings {
  /** The storage policy that a call carries from its beginning. Opting out leaves nothing of what is said. */
  begin(afterwards: AfterConversation, optOut: boolean): Pick<CallRow, 'storage'>
  /** The call goes on with another agent: from now on the stricter policy of both holds, even if that agent is deleted. */
  handOver(callId: string, to: AfterConversation): Promise<void>
  /** Lets less of a call be stored, of one that is over as well. Throws `invalid_request` where it would be more. */
  tighten(
    call: Pick<CallRow, 'call_id' | 'status' | 'storage' | 'stored_as'>,
    setting: DataStorageSetting,
  ): readonly BatchStatement[]
  /** Its caller has come. */
  started(call: HeardCall): Promise<readonly BatchStatement[]>
  /** Turns of these calls are over: belongs into the commit of what was said in them. */
  said(callIds: readonly string[]): Promise<readonly BatchStatement[]>
  /**
   * The call is over: what it cost, its end as webhooks are told it, and the job that sees to the rest. Belongs into the commit
   * that ends it, behind the statement that does.
   */
  ended(call: HeardCall, end: { readonly usage: readonly CallUsage[] }): Promise<readonly BatchStatement[]>
  /** The call is deleted, and with it what was told of it and its recording. */
  removed(call: Pick<CallRow, 'call_id'>): readonly BatchStatement[]
}

export interface CallEndingsDependencies extends CallPrices {
  readonly database: Pick<Database, 'compile' | 'read' | 'transaction'>
  /** The same time on all nodes. */
  readonly clock: Pick<Clock, 'now'>
  readonly jobs: Pick<JobQueue, 'statement'>
  readonly agents: Pick<AgentUse, 'load' | 'preview'>
  readonly webhooks: WebhookEvents
  readonly forgetRecording: ForgetRecording
}

export function createCallEndings(dependencies: CallEndingsDependencies): CallEndings {
  const { database, clock, jobs, agents, webhooks } = dependencies
  const { compile } = database
  const job = (callId: string): BatchStatement => jobs.statement({ kind: CALL_ENDED, payload: { callId } })

  async function tell(event: WebhookEventName, call: HeardCall): Promise<readonly BatchStatement[]> {
    const told = webhooksOf(await loadCallAgents(agents, call))
    const subject = { kind: 'call', id: call.call_id } as const
    return await webhooks.statements({ workspaceId: call.workspace_id, event, subject, agents: told })
  }

  return {
    begin(afterwards, optOut) {
      const policy = policyOf(afterwards)
      return { storage: JSON.stringify(optOut ? { ...policy, setting: 'basic_attributes_only' } : policy) }
    },

    async handOver(callId, to) {
      await database.transaction(async (transaction) => {
        const call = await findCallRow(transaction, callId)
        if (call === null || isOver(call)) return
        const before = readPolicy(call.storage)
        const storage = JSON.stringify(strictestOf(before === null ? [policyOf(to)] : [before, policyOf(to)]))
        if (storage === call.storage) return
        await transaction.updateTable('calls').set({ storage }).where('call_id', '=', callId).execute()
      })
    },

    tighten(call, setting) {
      const policy = tightened(call, setting)
      if (policy === null) return []
      const storage = JSON.stringify(policy)
      const query = compile.updateTable('calls').set({ storage }).where('call_id', '=', call.call_id)
      return isOver(call) ? [{ query: query.compile() }, job(call.call_id)] : [{ query: query.compile() }]
    },

    started: (call) => tell('call_started', call),

    async said(callIds) {
      const calls = await Promise.all(callIds.map((callId) => findCallRow(database.read, callId)))
      const told = await Promise.all(calls.map((call) => (call === null ? [] : tell('transcript_updated', call))))
      return told.flat()
    },

    async ended(call, { usage }) {
      const [markup, told] = await Promise.all([readMarkup(database.read, call.workspace_id), tell('call_ended', call)])
      const costs = costColumns(costItems(usage, dependencies), markup)
      const query = compile
        .updateTable('calls')
        .set({ ...costs, due_at: clock.now() + LOST_JOB_MS })
        .where('call_id', '=', call.call_id)
        .where('stored_as', 'is', null)
      return [{ query: query.compile() }, job(call.call_id), ...told]
    },

    removed: ({ call_id: id }) => [...webhooks.forget({ kind: 'call', id }), dependencies.forgetRecording(id)],
  }
}
