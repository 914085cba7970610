import { CHAT_ANALYSIS_PRESETS } from '@parley/contract/after-conversation'
import type { ChatAnalysis } from '@parley/contract/chat'
import { BatchConflictError, type Database } from '../../../kernel/storage/database.ts'
import type { Job, JobHandler, JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { AgentUse } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import { type AnalyzeDependencies, type CompletedAnalysis, requireAnalysis } from '../analysis/analyze-ended.ts'
import { FINALIZE_RETRIES, omitsUnredactedAt, usesModelsAt } from '../finalize-retries.ts'
import { webhooksOf } from '../policy/conversation-agents.ts'
import {
  type FinalizeOptions,
  type LoadedPlan,
  needsFinalizing,
  type PostProcessingPlan,
  planPostProcessing,
} from '../policy/plan-post-processing.ts'
import { deletionTime, readPolicy, type StoragePolicy } from '../policy/storage-policy.ts'
import type { StoredUsage } from '../post-processing-ports.ts'
import { type RedactionRunner, redact, redactOrOmit } from '../redaction-tasks.ts'
import { retryConflicts } from '../retry-conflicts.ts'
import { addUsages, analyzeChat } from './analyze-chat.ts'
import { loadChatAgents } from './chat-agents.ts'
import { type EndedChat, finalizeStatements, findChatRow, readEndedChat } from './ended-chat-store.ts'

/** Kind of the jobs that do what is left to do about a chat that is over. */
export const CHAT_ENDED = 'chat-ended'

/** How soon a chat is looked at again whose last turn still runs. */
const MIN_BUSY_DELAY_MS = 1_000
const MAX_BUSY_DELAY_MS = 60_000

export interface FinalizeDependencies extends AnalyzeDependencies {
  readonly database: Database
  readonly clock: SharedClock
  readonly agents: Pick<AgentUse, 'load'>
  readonly webhooks: WebhookEvents
  readonly redaction: RedactionRunner
}

/** `busy`: a turn of the chat still runs. */
export type FinalizeResult = 'done' | 'busy'

export async function loadPlan({ agents }: Pick<FinalizeDependencies, 'agents'>, chat: ChatRow): Promise<LoadedPlan> {
  const loaded = await loadChatAgents(agents, chat)
  return { plan: planPostProcessing(readPolicy(chat.storage), loaded, CHAT_ANALYSIS_PRESETS), agents: loaded }
}

/**
 * Does what is left to do about a chat that is over: tells its end, analyses it, applies its storage setting and forgets its
 * live state. May be done again and again; what was done stays. Throws when models fail in a way that may pass.
 */
export async function finalizeChat(
  dependencies: FinalizeDependencies,
  chatId: string,
  options: FinalizeOptions,
): Promise<FinalizeResult> {
  const { database } = dependencies
  let found = null as CompletedAnalysis | null
  const finalizeResult = await retryConflicts(async () => {
    const chat = await findChatRow(database.read, chatId)
    if (chat === null || chat.status === 'ongoing') return 'gone'
    if (chat.active_turn_id !== null) return 'busy'
    const loadedPlan = await loadPlan(dependencies, chat)
    await publishEnd(dependencies, chat, loadedPlan)
    if (!needsFinalizing(chat, loadedPlan.plan)) return 'gone'
    const ended = await readEndedChat(database.read, chat)
    if (chat.stored_as === null) found ??= await analyze(dependencies, ended, loadedPlan.plan, options)
    await write(dependencies, ended, { loadedPlan, found, omitsUnredacted: options.omitsUnredacted })
    return 'written'
  })
  // Somebody else was first: what was used was used all the same.
  if (finalizeResult !== 'written' && found !== null) await recordUsages(dependencies, chatId, found.usages)
  return finalizeResult === 'busy' ? 'busy' : 'done'
}

/** Once: whoever comes second finds it done. */
async function publishEnd(
  { database, webhooks, clock }: FinalizeDependencies,
  chat: ChatRow,
  { agents }: LoadedPlan,
): Promise<void> {
  if (chat.end_told_at !== null) return
  const claim = database.compile
    .updateTable('chats')
    .set({ end_told_at: clock.now() })
    .where('chat_id', '=', chat.chat_id)
    .where('end_told_at', 'is', null)
  const webhookStatements = await webhooks.statements({
    workspaceId: chat.workspace_id,
    event: 'chat_ended',
    subject: { kind: 'chat', id: chat.chat_id },
    agents: webhooksOf(agents),
  })
  try {
    await database.batch([{ query: claim.compile(), expectRows: 1 }, ...webhookStatements])
  } catch (error) {
    if (!(error instanceof BatchConflictError)) throw error
  }
}

async function analyze(
  dependencies: FinalizeDependencies,
  ended: EndedChat,
  { items, modelNames }: PostProcessingPlan,
  { usesModels, signal }: FinalizeOptions,
): Promise<CompletedAnalysis> {
  const plan = { items, modelNames: usesModels ? modelNames : [], signal }
  const outcome = await analyzeChat(dependencies, ended, plan)
  return await requireAnalysis(outcome, (usages) => recordUsages(dependencies, ended.chat.chat_id, usages))
}

/** Counts what was used although nothing else of it is kept. */
export async function recordUsages(
  { database }: Pick<FinalizeDependencies, 'database'>,
  chatId: string,
  usages: readonly StoredUsage[],
): Promise<void> {
  if (usages.length === 0) return
  await database.transaction(async (transaction) => {
    const chats = transaction.selectFrom('chats').select('analysis_usage').where('chat_id', '=', chatId)
    const chat = await chats.executeTakeFirst()
    if (chat === undefined) return
    const analysis_usage = addUsages(chat.analysis_usage, usages)
    await transaction.updateTable('chats').set({ analysis_usage }).where('chat_id', '=', chatId).execute()
  })
}

async function write(
  { database, webhooks, clock, redaction }: FinalizeDependencies,
  ended: EndedChat,
  {
    loadedPlan,
    found,
    omitsUnredacted,
  }: Pick<FinalizeOptions, 'omitsUnredacted'> & {
    readonly loadedPlan: LoadedPlan
    readonly found: CompletedAnalysis | null
  },
): Promise<void> {
  const { chat } = ended
  const { plan, agents } = loadedPlan
  const now = clock.now()
  const outcome = plan.items.length > 0 ? found : null
  const known = chat.analysis === null ? null : (JSON.parse(chat.analysis) as ChatAnalysis)
  const redacting = (policy: StoragePolicy) =>
    redact(redaction, chat.workspace_id, { kind: 'storedChat', ended, policy, analysis: outcome?.analysis ?? known })
  const { policy, result } = omitsUnredacted
    ? await redactOrOmit(plan.policy, redacting)
    : { policy: plan.policy, result: await redacting(plan.policy) }
  const { change, analysis } = result
  const deleteAt = deletionTime(plan.policy, chat.ended_at ?? now)
  const webhookStatements =
    outcome === null
      ? []
      : await webhooks.statements({
          workspaceId: chat.workspace_id,
          event: 'chat_analyzed',
          subject: { kind: 'chat', id: chat.chat_id },
          agents: webhooksOf(agents),
        })
  const columns = {
    ...change.columns,
    analysis: analysis === null ? null : JSON.stringify(analysis),
    ...(outcome !== null && { analysed_at: now, analysis_usage: addUsages(chat.analysis_usage, outcome.usages) }),
    stored_as: policy.setting,
    delete_at: deleteAt,
    due_at: deleteAt,
  }
  await database.batch([...finalizeStatements(database, ended, { ...change, columns }), ...webhookStatements])
}

export interface FinalizeJobDependencies extends FinalizeDependencies {
  readonly jobs: Pick<JobQueue, 'statement'>
}

export function createFinalizeHandler(dependencies: FinalizeJobDependencies): JobHandler {
  const { database, clock, jobs } = dependencies
  return {
    ...FINALIZE_RETRIES,
    async run(job, signal) {
      const { chatId, waits } = readPayload(job)
      const { attempt } = job
      const options = { usesModels: usesModelsAt(attempt), omitsUnredacted: omitsUnredactedAt(attempt), signal }
      const finalizeResult = await finalizeChat(dependencies, chatId, options)
      if (finalizeResult === 'done') return
      const runAt = clock.now() + Math.min(MAX_BUSY_DELAY_MS, MIN_BUSY_DELAY_MS * 2 ** waits)
      const again = { kind: CHAT_ENDED, payload: { chatId, waits: waits + 1 }, runAt }
      const { workspaceId } = job
      await database.batch([jobs.statement({ ...again, ...(workspaceId !== undefined && { workspaceId }) })])
    },
  }
}

function readPayload({ payload }: Job): { chatId: string; waits: number } {
  const { chatId, waits } = payload as { chatId?: unknown; waits?: unknown }
  return { chatId: String(chatId), waits: typeof waits === 'number' ? Math.min(waits, 20) : 0 }
}
