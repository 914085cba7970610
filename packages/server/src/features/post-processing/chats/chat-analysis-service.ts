import { analyseChat, type Chat, type ChatAnalysis } from '@parley/contract/chat'
import { type Api, implement } from '../../../kernel/api/implement.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import { ON_DEMAND_OPTIONS, requireAnalysis, toAnalysisError } from '../analysis/analyze-ended.ts'
import { retryConflicts } from '../due-work.ts'
import type { LoadedPlan, StoredUsage } from '../policy/plan-post-processing.ts'
import { buildEventStatements } from '../policy/plan-post-processing.ts'
import { redact } from '../redaction-tasks.ts'
import { addUsages, analyzeChat } from './analyze-chat.ts'
import { findChatRow, readEndedChat } from './ended-chat-store.ts'
import {
  type FinalizeChatDependencies,
  finalizeChat,
  loadChatPlan,
  recordUsages,
  toChatEventTarget,
} from './finalize-chat.ts'

interface ChatAnalysisDependencies extends FinalizeChatDependencies {
  /** Reads a chat in its API representation. */
  readonly readChat: (workspaceId: number, chatId: string) => Promise<Chat>
}

/** Repeats the analysis of a chat from its stored content. */
export interface ChatAnalysisService {
  analyze(workspaceId: number, chatId: string): Promise<Chat>
}

export function createChatAnalysisService(dependencies: ChatAnalysisDependencies): ChatAnalysisService {
  const { database, readChat } = dependencies

  async function findChat(workspaceId: number, chatId: string): Promise<ChatRow> {
    const chat = await findChatRow(database.read, chatId)
    if (chat === null || chat.workspace_id !== workspaceId) throw notFound('chat', chatId)
    if (chat.status === 'ongoing') throw createOngoingChatError(chatId)
    return chat
  }

  /** Returns false if the stored content was reduced during the analysis. */
  async function analyzeStoredChat(chat: ChatRow): Promise<boolean> {
    const chatId = chat.chat_id
    if (chat.stored_as === 'basic_attributes_only') throw createNotStoredError(chatId)
    if (chat.stored_as !== null) return await reanalyze(dependencies, chat)
    // The chat was not processed yet, so this becomes its first analysis.
    const result = await finalizeChat(dependencies, chatId, ON_DEMAND_OPTIONS)
    if (result === 'busy') throw createOngoingChatError(chatId)
    return true
  }

  return {
    async analyze(workspaceId, chatId) {
      try {
        // The loop ends because the stored content can only shrink.
        while (!(await analyzeStoredChat(await findChat(workspaceId, chatId))));
      } catch (error) {
        throw toAnalysisError(error, 'chat')
      }
      return await readChat(workspaceId, chatId)
    },
  }
}

/**
 * Repeats an analysis. Returns false if the stored content was reduced during the analysis, because the result could
 * reveal removed content.
 */
async function reanalyze(dependencies: FinalizeChatDependencies, chat: ChatRow): Promise<boolean> {
  const loadedPlan = await loadChatPlan(dependencies, chat)
  const endedChat = await readEndedChat(dependencies.database.read, chat)
  const outcome = await analyzeChat(dependencies, endedChat, { ...loadedPlan.plan, signal: ON_DEMAND_OPTIONS.signal })
  const recordUsage = (usages: readonly StoredUsage[]) => recordUsages(dependencies, chat.chat_id, usages)
  const { analysis: unredactedAnalysis, usages } = await requireAnalysis(outcome, recordUsage)
  const task = { kind: 'storedChat', endedChat, policy: loadedPlan.plan.policy, analysis: unredactedAnalysis } as const
  const { analysis } = await redact(dependencies.redaction, chat.workspace_id, task)
  const isStored = await storeAnalysis(dependencies, { chat, loadedPlan, analysis, usages })
  if (!isStored) await recordUsage(usages)
  return isStored
}

interface NewAnalysis {
  readonly chat: ChatRow
  readonly loadedPlan: LoadedPlan
  readonly analysis: ChatAnalysis | null
  readonly usages: readonly StoredUsage[]
}

/** Stores the result. Of two concurrent analyses, the later result is kept with the usage of both. */
async function storeAnalysis(
  { database, clock, webhooks }: FinalizeChatDependencies,
  { chat, loadedPlan, analysis, usages }: NewAnalysis,
): Promise<boolean> {
  const webhookStatements = await buildEventStatements(webhooks, 'chat_analyzed', toChatEventTarget(chat, loadedPlan))
  return await retryConflicts(async () => {
    const currentChat = await findChatRow(database.read, chat.chat_id)
    if (currentChat === null) throw notFound('chat', chat.chat_id)
    if (currentChat.stored_as !== chat.stored_as) return false
    const query = database.queryBuilder
      .updateTable('chats')
      .set({
        analysis: JSON.stringify(analysis),
        analysed_at: clock.now(),
        analysis_usage: addUsages(currentChat.analysis_usage, usages),
      })
      .where('chat_id', '=', chat.chat_id)
      .where('stored_as', '=', chat.stored_as)
      .where('analysis_usage', '=', currentChat.analysis_usage)
    await database.batch([{ query: query.compile(), expectRows: 1 }, ...webhookStatements])
    return true
  })
}

function createOngoingChatError(chatId: string): AppError {
  return new AppError('chat_ongoing', `The chat "${chatId}" is ongoing. End it before you analyze it.`)
}

function createNotStoredError(chatId: string): AppError {
  return new AppError(
    'chat_not_stored',
    `The messages of the chat "${chatId}" are no longer stored, so it cannot be analyzed again.`,
  )
}

/** Registers the chat analysis route. The analysis completes even if the client disconnects. */
export function registerChatAnalysisRoutes(api: Api, service: ChatAnalysisService): void {
  implement(api, analyseChat, ({ path }, { workspaceId }) => service.analyze(workspaceId, path.chatId))
}
