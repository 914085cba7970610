import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { AgentPathEntry, CallRow } from '../../../tables/call-tables.ts'
import type { AgentResolver, PinnedAgent, PostProcessingSettings } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import { readMarkup } from '../../workspaces/public.ts'
import { LOST_JOB_DELAY_MS } from '../due-work.ts'
import { buildEventStatements, type ConversationAgent, combineAgentPolicies } from '../policy/plan-post-processing.ts'
import { combineWithStoredPolicy, parsePolicy, tightenPolicy, toStoragePolicy } from '../policy/storage-policy.ts'
import { type CallAgentColumns, loadCallAgents } from './analyze-call.ts'
import { buildCostColumns, type CallPrices, type CallUsage, priceUsage } from './call-cost.ts'
import { findCallRow, isEnded } from './ended-call-store.ts'
import { CALL_ENDED_JOB, toCallEventTarget } from './finalize-call.ts'
import type { BuildRecordingRemoval } from './redact-stored-call.ts'

type CallReference = CallAgentColumns & Pick<CallRow, 'call_id'>

/** The agent that takes over a call. */
type HandoffTarget = Pick<PinnedAgent, 'agentId' | 'agentVersion' | 'postProcessing'>

/** Builds post-processing statements to commit with the start, changes, end and deletion of a call. */
export interface CallLifecycle {
  /** Returns the call's initial storage policy. With an opt-out, no conversation content is stored. */
  getInitialColumns(postProcessing: PostProcessingSettings, optOut: boolean): Pick<CallRow, 'storage'>
  /** Stores a handoff. The stricter policy applies, even if the earlier agent is deleted. */
  storeHandoff(callId: string, target: HandoffTarget, settings: SwapSettings): Promise<void>
  /** Reduces the stored content of a call, even after its end. Throws `invalid_request` for a less strict setting. */
  tightenStorage(
    call: Pick<CallRow, 'call_id' | 'workspace_id' | 'status' | 'storage' | 'stored_as'>,
    setting: DataStorageSetting,
  ): readonly BatchStatement[]
  /** Builds the statements to commit when the caller joins. */
  onStarted(call: CallReference): Promise<readonly BatchStatement[]>
  /** Builds the statements to commit with the content of ended turns. */
  onTurnsEnded(callIds: readonly string[]): Promise<readonly BatchStatement[]>
  /** Builds the statements that store costs, publish the end event and enqueue post-processing. */
  onEnded(
    call: CallReference & Pick<CallRow, 'storage'>,
    usage: readonly CallUsage[],
  ): Promise<readonly BatchStatement[]>
  /** Builds the statements that delete a call's webhook events and recording. Commit them with the call's deletion. */
  onRemoved(call: Pick<CallRow, 'call_id'>): readonly BatchStatement[]
}

interface CallLifecycleDependencies extends CallPrices {
  readonly database: Pick<Database, 'queryBuilder' | 'read' | 'transaction'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly jobs: Pick<JobQueue, 'buildEnqueueStatement'>
  readonly agents: Pick<AgentResolver, 'load' | 'preview'>
  readonly webhooks: WebhookEvents
  readonly buildRecordingRemoval: BuildRecordingRemoval
}

export function createCallLifecycle(dependencies: CallLifecycleDependencies): CallLifecycle {
  const { database, clock, jobs, webhooks } = dependencies
  const buildWebhookStatements = (event: WebhookEventName, call: CallReference) =>
    buildCallEventStatements(dependencies, event, call)

  return {
    getInitialColumns(postProcessing, optOut) {
      const policy = toStoragePolicy(postProcessing)
      return { storage: JSON.stringify(optOut ? { ...policy, setting: 'basic_attributes_only' } : policy) }
    },

    async storeHandoff(callId, { agentId, agentVersion, postProcessing }, settings) {
      const pathEntry: AgentPathEntry = {
        agentId,
        agentVersion,
        at: new Date(clock.now()).toISOString(),
        handOver: settings,
      }
      await database.transaction(async (transaction) => {
        const call = await findCallRow(transaction, callId)
        // The statement that ends a call writes the whole path.
        if (call === null || isEnded(call)) return
        const storage = JSON.stringify(
          combineWithStoredPolicy(parsePolicy(call.storage), [toStoragePolicy(postProcessing)]),
        )
        const agent_path = JSON.stringify([...(JSON.parse(call.agent_path) as AgentPathEntry[]), pathEntry])
        await transaction.updateTable('calls').set({ storage, agent_path }).where('call_id', '=', callId).execute()
      })
    },

    tightenStorage(call, setting) {
      const policy = tightenPolicy(call, setting)
      if (policy === null) return []
      const storage = JSON.stringify(policy)
      const query = database.queryBuilder.updateTable('calls').set({ storage }).where('call_id', '=', call.call_id)
      return isEnded(call) ? [{ query: query.compile() }, buildJobStatement(jobs, call)] : [{ query: query.compile() }]
    },

    onStarted: (call) => buildWebhookStatements('call_started', call),

    async onTurnsEnded(callIds) {
      const calls = await Promise.all(callIds.map((callId) => findCallRow(database.read, callId)))
      // Skips calls that another node has ended. This node's later events are dropped.
      const liveCalls = calls.filter((call) => call?.status === 'ongoing')
      const webhookStatements = await Promise.all(
        liveCalls.map((call) => (call === null ? [] : buildWebhookStatements('transcript_updated', call))),
      )
      return webhookStatements.flat()
    },

    onEnded: (call, usage) => buildEndStatements(dependencies, call, usage),

    onRemoved: ({ call_id: id }) => [
      ...webhooks.buildDeleteStatements({ kind: 'call', id }),
      dependencies.buildRecordingRemoval(id),
    ],
  }
}

async function buildCallEventStatements(
  { agents, webhooks }: Pick<CallLifecycleDependencies, 'agents' | 'webhooks'>,
  event: WebhookEventName,
  call: CallReference,
): Promise<readonly BatchStatement[]> {
  return await buildEventStatements(
    webhooks,
    event,
    toCallEventTarget(call, { agents: await loadCallAgents(agents, call) }),
  )
}

function buildJobStatement(
  jobs: CallLifecycleDependencies['jobs'],
  { call_id: callId, workspace_id: workspaceId }: Pick<CallRow, 'call_id' | 'workspace_id'>,
): BatchStatement {
  return jobs.buildEnqueueStatement({ kind: CALL_ENDED_JOB, payload: { callId }, workspaceId })
}

/** Builds the statement that stores the strictest of all agents' policies. A concurrent change takes precedence. */
function buildPolicyStatements(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  { call_id, storage: currentStorage }: Pick<CallRow, 'call_id' | 'storage'>,
  conversationAgents: readonly ConversationAgent[],
): readonly BatchStatement[] {
  const storage = JSON.stringify(combineAgentPolicies(parsePolicy(currentStorage), conversationAgents))
  if (storage === currentStorage) return []
  const query = queryBuilder
    .updateTable('calls')
    .set({ storage })
    .where('call_id', '=', call_id)
    .where('storage', currentStorage === null ? 'is' : '=', currentStorage)
  return [{ query: query.compile() }]
}

async function buildEndStatements(
  dependencies: CallLifecycleDependencies,
  call: CallReference & Pick<CallRow, 'storage'>,
  usage: readonly CallUsage[],
): Promise<readonly BatchStatement[]> {
  const { agents, database, clock, jobs, webhooks } = dependencies
  const conversationAgents = await loadCallAgents(agents, call)
  const [markup, webhookStatements] = await Promise.all([
    readMarkup(database.read, call.workspace_id),
    buildEventStatements(webhooks, 'call_ended', toCallEventTarget(call, { agents: conversationAgents })),
  ])
  const costs = buildCostColumns(priceUsage(usage, dependencies), markup)
  const query = database.queryBuilder
    .updateTable('calls')
    .set({ ...costs, due_at: clock.now() + LOST_JOB_DELAY_MS })
    .where('call_id', '=', call.call_id)
    .where('stored_as', 'is', null)
  return [
    { query: query.compile() },
    ...buildPolicyStatements(database, call, conversationAgents),
    buildJobStatement(jobs, call),
    ...webhookStatements,
  ]
}
