import type { Chat, ChatAnalysis } from '@parley/contract/chat'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import { foundOrThrown, NEVER, tellFailure } from '../analysis/analyse-ended.ts'
import type { StoredUsage } from '../endings-ports.ts'
import { webhooksOf } from '../policy/holding-agents.ts'
import type { LoadedEnding } from '../policy/plan-ending.ts'
import { redact } from '../redaction-tasks.ts'
import { retryConflicts } from '../retry-conflicts.ts'
import { addUsages, analyseChat } from './analyse-chat.ts'
import { findChatRow, readEndedChat } from './ending-store.ts'
import { keepUsages, loadEnding, type SettleDependencies, settleChat } from './settle-chat.ts'

export interface ChatAnalysisDependencies extends SettleDependencies {
  /** The whole chat as answers carry it. */
  readonly readChat: (workspaceId: number, chatId: string) => Promise<Chat>
}

/** Finds out about a chat once more, from what is stored of it. */
export interface ChatAnalysisService {
  analyse(workspaceId: number, chatId: string): Promise<Chat>
}

export function createChatAnalysisService(dependencies: ChatAnalysisDependencies): ChatAnalysisService {
  const { database, readChat } = dependencies

  async function find(workspaceId: number, chatId: string): Promise<ChatRow> {
    const chat = await findChatRow(database.read, chatId)
    if (chat === null || chat.workspace_id !== workspaceId) throw notFound('chat', chatId)
    if (chat.status === 'ongoing') throw ongoing(chatId)
    return chat
  }

  /** False: less of the chat is stored by now than was analysed. */
  async function analyse(chat: ChatRow): Promise<boolean> {
    const chatId = chat.chat_id
    if (chat.stored_as === 'basic_attributes_only') throw notStored(chatId)
    if (chat.stored_as !== null) return await analyseAgain(dependencies, chat)
    // Nobody came to it yet: the first analysis is the one that is asked for.
    const settled = await settleChat(dependencies, chatId, { asksModels: true, withholds: false, signal: NEVER })
    if (settled === 'busy') throw ongoing(chatId)
    return true
  }

  return {
    async analyse(workspaceId, chatId) {
      try {
        // What is stored only ever becomes less.
        while (!(await analyse(await find(workspaceId, chatId))));
      } catch (error) {
        throw tellFailure(error, 'chat')
      }
      return await readChat(workspaceId, chatId)
    },
  }
}

/** False: less of the chat is stored by now than this analysis was made from, so that it tells too much. */
async function analyseAgain(dependencies: SettleDependencies, chat: ChatRow): Promise<boolean> {
  const ending = await loadEnding(dependencies, chat)
  const ended = await readEndedChat(dependencies.database.read, chat)
  const outcome = await analyseChat(dependencies, ended, { ...ending.plan, signal: NEVER })
  const keep = (usages: readonly StoredUsage[]) => keepUsages(dependencies, chat.chat_id, usages)
  const { analysis: found, usages } = await foundOrThrown(outcome, keep)
  const task = { kind: 'storedChat', ended, policy: ending.plan.policy, analysis: found } as const
  const { analysis } = await redact(dependencies.redaction, chat.workspace_id, task)
  const isStored = await store(dependencies, { chat, ending, analysis, usages })
  if (!isStored) await keep(usages)
  return isStored
}

interface NewAnalysis {
  readonly chat: ChatRow
  readonly ending: LoadedEnding
  readonly analysis: ChatAnalysis | null
  readonly usages: readonly StoredUsage[]
}

/** A chat that is analysed elsewhere at the same time keeps the later analysis and the usage of both. */
async function store(
  { database, clock, webhooks }: SettleDependencies,
  { chat, ending, analysis, usages }: NewAnalysis,
): Promise<boolean> {
  const told = await webhooks.statements({
    workspaceId: chat.workspace_id,
    event: 'chat_analyzed',
    subject: { kind: 'chat', id: chat.chat_id },
    agents: webhooksOf(ending.agents),
  })
  return await retryConflicts(async () => {
    const now = await findChatRow(database.read, chat.chat_id)
    if (now === null) throw notFound('chat', chat.chat_id)
    if (now.stored_as !== chat.stored_as) return false
    const query = database.compile
      .updateTable('chats')
      .set({
        analysis: JSON.stringify(analysis),
        analysed_at: clock.now(),
        analysis_usage: addUsages(now.analysis_usage, usages),
      })
      .where('chat_id', '=', chat.chat_id)
      .where('stored_as', '=', chat.stored_as)
      .where('analysis_usage', '=', now.analysis_usage)
    await database.batch([{ query: query.compile(), expectRows: 1 }, ...told])
    return true
  })
}

function ongoing(chatId: string): AppError {
  return new AppError('chat_ongoing', `The chat "${chatId}" is still ongoing: end it first, then it can be analysed.`)
}

function notStored(chatId: string): AppError {
  return new AppError(
    'chat_not_stored',
    `Nothing that was said in the chat "${chatId}" is stored any more, so that it cannot be analysed again.`,
  )
}
