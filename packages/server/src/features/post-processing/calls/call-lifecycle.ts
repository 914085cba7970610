import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { AgentOnPath, CallRow } from '../../../tables/call-tables.ts'
import type { AgentUse, PinnedAgent, PostProcessingSettings } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import { LOST_JOB_DELAY_MS } from '../due-work.ts'
import { type ConversationAgent, webhooksOf } from '../policy/conversation-agents.ts'
import { policyWith } from '../policy/plan-post-processing.ts'
import { policyOf, readPolicy, strictestWith, tightenedPolicy } from '../policy/storage-policy.ts'
import { type CallPath, loadCallAgents } from './call-agents.ts'
import { type CallPrices, type CallUsage, costColumns, costItems } from './call-cost.ts'
import { findCallRow, isEnded, readMarkup } from './ended-call-store.ts'
import { CALL_ENDED } from './finalize-call.ts'
import type { DeleteRecording } from './redact-stored-call.ts'

/** A call as those who hear of it need it. */
export type CallSubject = CallPath & Pick<CallRow, 'call_id'>

/** An agent that a call goes on with. */
type HandOverAgent = Pick<PinnedAgent, 'agentId' | 'agentVersion' | 'postProcessing'>

/** What whoever begins, holds, ends and deletes calls has to write for their time afterwards. */
export interface CallLifecycle {
  /** The storage policy that a call carries from its beginning. Opting out leaves nothing of what is said. */
  start(postProcessing: PostProcessingSettings, optOut: boolean): Pick<CallRow, 'storage'>
  /**
   * The call goes on with another agent: it is told of what is said from now on, as the hand-over says, and the stricter policy of
   * both holds, even if that agent is deleted.
   */
  handOver(callId: string, to: HandOverAgent, settings: SwapSettings): Promise<void>
  /** Lets less of a call be stored, of one that is over as well. Throws `invalid_request` where it would be more. */
  tightenStorage(
    call: Pick<CallRow, 'call_id' | 'workspace_id' | 'status' | 'storage' | 'stored_as'>,
    setting: DataStorageSetting,
  ): readonly BatchStatement[]
  /** Its caller has come. */
  started(call: CallSubject): Promise<readonly BatchStatement[]>
  /** Turns of these calls are over: belongs into the commit of what was said in them. */
  turnsEnded(callIds: readonly string[]): Promise<readonly BatchStatement[]>
  /**
   * The call is over: what it cost, its end as webhooks are told it, and the job that sees to the rest. Belongs into the commit
   * that ends it, behind the statement that does.
   */
  ended(call: CallSubject & Pick<CallRow, 'storage'>, usage: readonly CallUsage[]): Promise<readonly BatchStatement[]>
  /** The call is deleted, and with it what was told of it and its recording. */
  removed(call: Pick<CallRow, 'call_id'>): readonly BatchStatement[]
}

export interface CallLifecycleDependencies extends CallPrices {
  readonly database: Pick<Database, 'compile' | 'read' | 'transaction'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly jobs: Pick<JobQueue, 'statement'>
  readonly agents: Pick<AgentUse, 'load' | 'preview'>
  readonly webhooks: WebhookEvents
  readonly deleteRecording: DeleteRecording
}

export function createCallLifecycle(dependencies: CallLifecycleDependencies): CallLifecycle {
  const { database, clock, jobs, webhooks } = dependencies
  const publishEvent = (event: WebhookEventName, call: CallSubject) => callStatements(dependencies, event, call)

  return {
    start(postProcessing, optOut) {
      const policy = policyOf(postProcessing)
      return { storage: JSON.stringify(optOut ? { ...policy, setting: 'basic_attributes_only' } : policy) }
    },

    async handOver(callId, { agentId, agentVersion, postProcessing }, settings) {
      const next: AgentOnPath = { agentId, agentVersion, at: new Date(clock.now()).toISOString(), handOver: settings }
      await database.transaction(async (transaction) => {
        const call = await findCallRow(transaction, callId)
        // The end of a call writes the whole path, from its record.
        if (call === null || isEnded(call)) return
        const storage = JSON.stringify(strictestWith(readPolicy(call.storage), [policyOf(postProcessing)]))
        const agent_path = JSON.stringify([...(JSON.parse(call.agent_path) as AgentOnPath[]), next])
        await transaction.updateTable('calls').set({ storage, agent_path }).where('call_id', '=', callId).execute()
      })
    },

    tightenStorage(call, setting) {
      const policy = tightenedPolicy(call, setting)
      if (policy === null) return []
      const storage = JSON.stringify(policy)
      const query = database.compile.updateTable('calls').set({ storage }).where('call_id', '=', call.call_id)
      return isEnded(call) ? [{ query: query.compile() }, jobStatement(jobs, call)] : [{ query: query.compile() }]
    },

    started: (call) => publishEvent('call_started', call),

    async turnsEnded(callIds) {
      const calls = await Promise.all(callIds.map((callId) => findCallRow(database.read, callId)))
      // Ended elsewhere meanwhile, the call has been told of, and what this node heard is not written down.
      const live = calls.filter((call) => call?.status === 'ongoing')
      const webhookStatements = await Promise.all(
        live.map((call) => (call === null ? [] : publishEvent('transcript_updated', call))),
      )
      return webhookStatements.flat()
    },

    ended: (call, usage) => endStatements(dependencies, call, usage),

    removed: ({ call_id: id }) => [...webhooks.deleteEventsOf({ kind: 'call', id }), dependencies.deleteRecording(id)],
  }
}

async function callStatements(
  { agents, webhooks }: Pick<CallLifecycleDependencies, 'agents' | 'webhooks'>,
  event: WebhookEventName,
  call: CallSubject,
): Promise<readonly BatchStatement[]> {
  return await eventStatements(webhooks, event, { call, conversationAgents: await loadCallAgents(agents, call) })
}

async function eventStatements(
  webhooks: Pick<WebhookEvents, 'statements'>,
  event: WebhookEventName,
  {
    call,
    conversationAgents,
  }: { readonly call: CallSubject; readonly conversationAgents: readonly ConversationAgent[] },
): Promise<readonly BatchStatement[]> {
  const subject = { kind: 'call', id: call.call_id } as const
  const agents = webhooksOf(conversationAgents)
  return await webhooks.statements({ workspaceId: call.workspace_id, event, subject, agents })
}

function jobStatement(
  jobs: CallLifecycleDependencies['jobs'],
  { call_id: callId, workspace_id: workspaceId }: Pick<CallRow, 'call_id' | 'workspace_id'>,
): BatchStatement {
  return jobs.statement({ kind: CALL_ENDED, payload: { callId }, workspaceId })
}

/** What is told of the end must not wait for a hand-over that has not got to the row, and whoever made it stricter meanwhile wins. */
function keepStrictest(
  { compile }: Pick<Database, 'compile'>,
  { call_id, storage: before }: Pick<CallRow, 'call_id' | 'storage'>,
  conversationAgents: readonly ConversationAgent[],
): readonly BatchStatement[] {
  const storage = JSON.stringify(policyWith(readPolicy(before), conversationAgents))
  if (storage === before) return []
  const query = compile
    .updateTable('calls')
    .set({ storage })
    .where('call_id', '=', call_id)
    .where('storage', before === null ? 'is' : '=', before)
  return [{ query: query.compile() }]
}

async function endStatements(
  dependencies: CallLifecycleDependencies,
  call: CallSubject & Pick<CallRow, 'storage'>,
  usage: readonly CallUsage[],
): Promise<readonly BatchStatement[]> {
  const { agents, database, clock, jobs, webhooks } = dependencies
  const conversationAgents = await loadCallAgents(agents, call)
  const [markup, webhookStatements] = await Promise.all([
    readMarkup(database.read, call.workspace_id),
    eventStatements(webhooks, 'call_ended', { call, conversationAgents }),
  ])
  const costs = costColumns(costItems(usage, dependencies), markup)
  const query = database.compile
    .updateTable('calls')
    .set({ ...costs, due_at: clock.now() + LOST_JOB_DELAY_MS })
    .where('call_id', '=', call.call_id)
    .where('stored_as', 'is', null)
  return [
    { query: query.compile() },
    ...keepStrictest(database, call, conversationAgents),
    jobStatement(jobs, call),
    ...webhookStatements,
  ]
}
