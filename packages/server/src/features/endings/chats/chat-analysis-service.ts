import type { Chat, ChatAnalysis } from '@parley/contract/chat'
import { BatchConflictError } from '../../../kernel/database.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { ChatRow } from '../../../kernel/tables/chat-tables.ts'
import { AnalysisFailedError } from '../analysis/analyse-ended.ts'
import type { StoredUsage } from '../endings-ports.ts'
import { webhooksOf } from '../policy/holding-agents.ts'
import { addUsages, analyseChat } from './analyse-chat.ts'
import { findChatRow, readEndedChat } from './ending-store.ts'
import { redactStored } from './redact-stored.ts'
import { type LoadedEnding, loadEnding, type SettleDependencies, settleChat } from './settle-chat.ts'

export interface ChatAnalysisDependencies extends SettleDependencies {
  /** The whole chat as answers carry it. */
  readonly readChat: (workspaceId: number, chatId: string) => Promise<Chat>
}

/** Finds out about a chat once more, from what is stored of it. */
export interface ChatAnalysisService {
  analyse(workspaceId: number, chatId: string, signal: AbortSignal): Promise<Chat>
}

/** A chat that is analysed elsewhere at the same time keeps the later analysis and the usage of both. */
const MOST_TRIES = 5

export function createChatAnalysisService(dependencies: ChatAnalysisDependencies): ChatAnalysisService {
  const { database, readChat } = dependencies

  async function find(workspaceId: number, chatId: string): Promise<ChatRow> {
    const chat = await findChatRow(database.read, chatId)
    if (chat === null || chat.workspace_id !== workspaceId) throw notFound('chat', chatId)
    if (chat.status === 'ongoing') throw ongoing(chatId)
    return chat
  }

  return {
    async analyse(workspaceId, chatId, signal) {
      const chat = await find(workspaceId, chatId)
      if (chat.stored_as === 'basic_attributes_only') throw notStored(chatId)
      try {
        // Nobody came to it yet: the first analysis is the one that is asked for.
        if (chat.stored_as === null) {
          const settled = await settleChat(dependencies, chatId, { asksModels: true, signal })
          if (settled === 'busy') throw ongoing(chatId)
        } else await analyseAgain(dependencies, chat, signal)
      } catch (error) {
        throw error instanceof AnalysisFailedError ? modelFailed(error) : error
      }
      return await readChat(workspaceId, chatId)
    },
  }
}

async function analyseAgain(dependencies: SettleDependencies, chat: ChatRow, signal: AbortSignal): Promise<void> {
  const ending = await loadEnding(dependencies, chat)
  const ended = await readEndedChat(dependencies.database.read, chat)
  const outcome = await analyseChat(dependencies, ended, { ...ending.plan, signal })
  if (outcome.type !== 'found') throw new AnalysisFailedError(outcome)
  const { analysis } = redactStored(ended, ending.plan.policy, outcome.analysis)
  await store(dependencies, { chat, ending, analysis, usages: outcome.usages })
}

interface NewAnalysis {
  readonly chat: ChatRow
  readonly ending: LoadedEnding
  readonly analysis: ChatAnalysis | null
  readonly usages: readonly StoredUsage[]
}

async function store(dependencies: SettleDependencies, { chat, ending, analysis, usages }: NewAnalysis): Promise<void> {
  const { database, clock, webhooks } = dependencies
  const told = await webhooks.statements({
    workspaceId: chat.workspace_id,
    event: 'chat_analyzed',
    subject: { kind: 'chat', id: chat.chat_id },
    agents: webhooksOf(ending.agents),
  })
  for (let attempt = 1; ; attempt += 1) {
    const now = await findChatRow(database.read, chat.chat_id)
    if (now === null) throw notFound('chat', chat.chat_id)
    // Less of it is stored by now than this analysis was made from.
    if (now.stored_as !== chat.stored_as) throw notStored(chat.chat_id)
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
    try {
      return await database.batch([{ query: query.compile(), expectRows: 1 }, ...told])
    } catch (error) {
      if (!(error instanceof BatchConflictError) || attempt >= MOST_TRIES) throw error
    }
  }
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

function modelFailed({ isTimeout, message }: AnalysisFailedError): AppError {
  return new AppError(
    isTimeout ? 'provider_timeout' : 'provider_error',
    `The chat was not analysed, and what was known of it stays: ${message}`,
  )
}
