import { CHAT_ANALYSIS_PRESETS } from '@parley/contract/after-conversation'
import type { ChatAnalysis } from '@parley/contract/chat'
import { BatchConflictError, type Database } from '../../../kernel/storage/database.ts'
import type { Job, JobHandler, JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { AgentResolver } from '../../agents/public.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import {
  type AnalyzeDependencies,
  type CompletedAnalysis,
  type FinalContent,
  requireAnalysis,
} from '../analysis/analyze-ended.ts'
import { FINALIZE_RETRIES, getAttemptOptions, retryConflicts } from '../due-work.ts'
import type { StoredUsage } from '../policy/plan-post-processing.ts'
import {
  buildEventStatements,
  type FinalizeOptions,
  type LoadedPlan,
  needsFinalizing,
  type PostProcessingPlan,
  planPostProcessing,
} from '../policy/plan-post-processing.ts'
import { computeDeletionTime, parsePolicy, type StoragePolicy } from '../policy/storage-policy.ts'
import { type RedactionRunner, redact, redactOrOmit } from '../redaction-tasks.ts'
import { addUsages, analyzeChat, loadChatAgents } from './analyze-chat.ts'
import { buildFinalizeStatements, type EndedChat, findChatRow, readEndedChat } from './ended-chat-store.ts'

/** Kind of job that processes an ended chat. */
export const CHAT_ENDED_JOB = 'chat-ended'

/** First retry delay for a chat whose last turn is still running. */
const MIN_BUSY_DELAY_MS = 1_000
const MAX_BUSY_DELAY_MS = 60_000

export interface FinalizeChatDependencies extends AnalyzeDependencies {
  readonly database: Database
  readonly clock: SharedClock
  readonly agents: Pick<AgentResolver, 'load'>
  readonly webhooks: WebhookEvents
  readonly redaction: RedactionRunner
}

/** The outcome of a run. `busy` means that a turn of the chat is still running. */
type FinalizeResult = 'done' | 'busy'

export async function loadChatPlan(
  { agents }: Pick<FinalizeChatDependencies, 'agents'>,
  chat: ChatRow,
): Promise<LoadedPlan> {
  const loadedAgents = await loadChatAgents(agents, chat)
  return {
    plan: planPostProcessing(parsePolicy(chat.storage), loadedAgents, CHAT_ANALYSIS_PRESETS),
    agents: loadedAgents,
  }
}

/** Publishes the end of a chat, analyzes it and applies its storage policy. Idempotent. Throws on temporary model failures. */
export async function finalizeChat(
  dependencies: FinalizeChatDependencies,
  chatId: string,
  options: FinalizeOptions,
): Promise<FinalizeResult> {
  const { database } = dependencies
  let completedAnalysis = null as CompletedAnalysis | null
  const finalizeResult = await retryConflicts(async () => {
    const chat = await findChatRow(database.read, chatId)
    if (chat === null || chat.status === 'ongoing') return 'gone'
    if (chat.active_turn_id !== null) return 'busy'
    const loadedPlan = await loadChatPlan(dependencies, chat)
    await publishEnd(dependencies, chat, loadedPlan)
    if (!needsFinalizing(chat, loadedPlan.plan)) return 'gone'
    const endedChat = await readEndedChat(database.read, chat)
    if (chat.stored_as === null) completedAnalysis ??= await analyze(dependencies, endedChat, loadedPlan.plan, options)
    await storeFinalChat(dependencies, endedChat, {
      loadedPlan,
      completedAnalysis,
      omitsUnredacted: options.omitsUnredacted,
    })
    return 'written'
  })
  // Another run stored its result first, but the usage of this run still counts.
  if (finalizeResult !== 'written' && completedAnalysis !== null)
    await recordUsages(dependencies, chatId, completedAnalysis.usages)
  return finalizeResult === 'busy' ? 'busy' : 'done'
}

/** Builds the target of a webhook event about a chat. */
export function toChatEventTarget(chat: ChatRow, { agents }: LoadedPlan) {
  return { workspaceId: chat.workspace_id, subject: { kind: 'chat', id: chat.chat_id } as const, agents }
}

/** Publishes the end of a chat unless it is already published. */
async function publishEnd(
  { database, webhooks, clock }: FinalizeChatDependencies,
  chat: ChatRow,
  loadedPlan: LoadedPlan,
): Promise<void> {
  if (chat.end_told_at !== null) return
  const claim = database.queryBuilder
    .updateTable('chats')
    .set({ end_told_at: clock.now() })
    .where('chat_id', '=', chat.chat_id)
    .where('end_told_at', 'is', null)
  const webhookStatements = await buildEventStatements(webhooks, 'chat_ended', toChatEventTarget(chat, loadedPlan))
  try {
    await database.batch([{ query: claim.compile(), expectRows: 1 }, ...webhookStatements])
  } catch (error) {
    if (!(error instanceof BatchConflictError)) throw error
  }
}

async function analyze(
  dependencies: FinalizeChatDependencies,
  endedChat: EndedChat,
  { items, modelNames }: PostProcessingPlan,
  { usesModels, signal }: FinalizeOptions,
): Promise<CompletedAnalysis> {
  const plan = { items, modelNames: usesModels ? modelNames : [], signal }
  const outcome = await analyzeChat(dependencies, endedChat, plan)
  return await requireAnalysis(outcome, (usages) => recordUsages(dependencies, endedChat.chat.chat_id, usages))
}

/** Records usage without storing the analysis result. */
export async function recordUsages(
  { database }: Pick<FinalizeChatDependencies, 'database'>,
  chatId: string,
  usages: readonly StoredUsage[],
): Promise<void> {
  if (usages.length === 0) return
  await database.transaction(async (transaction) => {
    const query = transaction.selectFrom('chats').select('analysis_usage').where('chat_id', '=', chatId)
    const chat = await query.executeTakeFirst()
    if (chat === undefined) return
    const analysis_usage = addUsages(chat.analysis_usage, usages)
    await transaction.updateTable('chats').set({ analysis_usage }).where('chat_id', '=', chatId).execute()
  })
}

async function storeFinalChat(
  { database, webhooks, clock, redaction }: FinalizeChatDependencies,
  endedChat: EndedChat,
  { loadedPlan, completedAnalysis, omitsUnredacted }: FinalContent,
): Promise<void> {
  const { chat } = endedChat
  const { plan } = loadedPlan
  const now = clock.now()
  const newAnalysis = plan.items.length > 0 ? completedAnalysis : null
  const storedAnalysis = chat.analysis === null ? null : (JSON.parse(chat.analysis) as ChatAnalysis)
  const redactWith = (policy: StoragePolicy) =>
    redact(redaction, chat.workspace_id, {
      kind: 'storedChat',
      endedChat,
      policy,
      analysis: newAnalysis?.analysis ?? storedAnalysis,
    })
  const { policy, result } = await redactOrOmit(plan.policy, redactWith, omitsUnredacted)
  const { change, analysis } = result
  const deleteAt = computeDeletionTime(plan.policy, chat.ended_at ?? now)
  const webhookStatements =
    newAnalysis === null
      ? []
      : await buildEventStatements(webhooks, 'chat_analyzed', toChatEventTarget(chat, loadedPlan))
  const columns = {
    ...change.columns,
    analysis: analysis === null ? null : JSON.stringify(analysis),
    ...(newAnalysis !== null && {
      analysed_at: now,
      analysis_usage: addUsages(chat.analysis_usage, newAnalysis.usages),
    }),
    stored_as: policy.setting,
    delete_at: deleteAt,
    due_at: deleteAt,
  }
  await database.batch([...buildFinalizeStatements(database, endedChat, { ...change, columns }), ...webhookStatements])
}

export interface FinalizeJobDependencies extends FinalizeChatDependencies {
  readonly jobs: Pick<JobQueue, 'buildEnqueueStatement'>
}

export function createFinalizeHandler(dependencies: FinalizeJobDependencies): JobHandler {
  const { database, clock, jobs } = dependencies
  return {
    ...FINALIZE_RETRIES,
    async run(job, signal) {
      const { chatId, waits } = parsePayload(job)
      const finalizeResult = await finalizeChat(dependencies, chatId, getAttemptOptions(job.attempt, signal))
      if (finalizeResult === 'done') return
      const runAt = clock.now() + Math.min(MAX_BUSY_DELAY_MS, MIN_BUSY_DELAY_MS * 2 ** waits)
      const retryJob = { kind: CHAT_ENDED_JOB, payload: { chatId, waits: waits + 1 }, runAt }
      const { workspaceId } = job
      await database.batch([
        jobs.buildEnqueueStatement({ ...retryJob, ...(workspaceId !== undefined && { workspaceId }) }),
      ])
    },
  }
}

function parsePayload({ payload }: Job): { chatId: string; waits: number } {
  const { chatId, waits } = payload as { chatId?: unknown; waits?: unknown }
  return { chatId: String(chatId), waits: typeof waits === 'number' ? Math.min(waits, 20) : 0 }
}
