import type { DialogueState } from '@parley/engine/dialogue/conversation'
import type { Clock } from '@parley/engine/ports'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { ChatRow, TurnRow } from '../../tables/chat-tables.ts'
import { readHandoffs } from './chat-events.ts'
import { findChat, findTurn } from './chat-store.ts'
import type { CompletionService } from './completion-service.ts'
import { createChatEndedError } from './turn/turn-context.ts'

/** How long to retry while new turns keep starting in the chat. */
const RETRY_TIMEOUT_MS = 10_000
const RETRY_MS = 20

interface RewindDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly completions: Pick<CompletionService, 'cancel' | 'cancelAll'>
  /** Returns the chat's initial state, or `null` if the engine has no state before its first turn. */
  readonly loadInitialState: (chat: ChatRow) => Promise<DialogueState | null>
}

interface RewindTarget {
  readonly workspaceId: number
  readonly chatId: string
  readonly turnId: string
}

/** Restores a chat to its state at the end of the turn. Throws `not_found` or `chat_ended`. */
export async function rewindChat(dependencies: RewindDependencies, target: RewindTarget): Promise<void> {
  const { clock } = dependencies
  const deadlineMs = clock.now() + RETRY_TIMEOUT_MS
  while (!(await tryRewind(dependencies, target))) {
    if (clock.now() >= deadlineMs) throw createBusyError()
    await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
  }
}

/** Tries to rewind the chat. Returns false if a new turn started after the other turns were stopped. */
async function tryRewind(dependencies: RewindDependencies, target: RewindTarget): Promise<boolean> {
  const { database, clock, completions, loadInitialState } = dependencies
  const { workspaceId, chatId } = target
  const { chat } = await readTarget(database.read, target)
  if (chat.active_turn_id !== null) {
    completions.cancelAll(chatId)
    await completions.cancel(workspaceId, chatId, chat.active_turn_id).catch(ignoreNotRunning)
  }
  const initialState = await loadInitialState(chat)
  return await database.transaction(async (transaction) => {
    const current = await readTarget(transaction, target)
    if (current.chat.active_turn_id !== null) return false
    await applyRewind(transaction, { ...current, initialState, now: clock.now() })
    return true
  })
}

async function readTarget(
  reader: Reader,
  { workspaceId, chatId, turnId }: RewindTarget,
): Promise<Pick<RewindPoint, 'chat' | 'turn'>> {
  const chat = await findChat(reader, workspaceId, chatId)
  if (chat === null) throw notFound('chat', chatId)
  if (chat.status !== 'ongoing') throw createChatEndedError(chatId)
  const turn = await findTurn(reader, chatId, turnId)
  if (turn === null) throw notFound('turn', turnId)
  return { chat, turn }
}

/** Ignores the error of a turn that ended concurrently. */
function ignoreNotRunning(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'turn_not_running') throw error
}

function createBusyError(): AppError {
  return new AppError('unavailable', 'A turn of the chat is still running. Try again.', { retryAfterMs: 1000 })
}

interface RewindPoint {
  readonly chat: ChatRow
  readonly turn: TurnRow
  readonly initialState: DialogueState | null
  readonly now: number
}

async function applyRewind(transaction: Transaction, { chat, turn, initialState, now }: RewindPoint): Promise<void> {
  const { chat_id: chatId } = chat
  const laterTurns = transaction
    .selectFrom('turns')
    .select('turn_id')
    .where('chat_id', '=', chatId)
    .where('position', '>', turn.position)
  await transaction.deleteFrom('messages').where('chat_id', '=', chatId).where('turn_id', 'in', laterTurns).execute()
  await transaction.deleteFrom('turns').where('chat_id', '=', chatId).where('position', '>', turn.position).execute()
  const state = (await findLastState(transaction, chatId)) ?? initialState
  const remainingMessages = transaction.selectFrom('messages').where('chat_id', '=', chatId)
  const lastMessage = await remainingMessages.select(({ fn }) => fn.max('position').as('position')).executeTakeFirst()
  const handoffs = remainingMessages.where('role', '=', 'system').where('name', '=', 'agent_swap')
  const handoffCount = await handoffs.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  await transaction
    .updateTable('chats')
    .set({
      state: state === null ? null : JSON.stringify(state),
      collected_variables: JSON.stringify(state?.collectedVariables ?? {}),
      hand_overs: JSON.stringify(readHandoffs(chat).slice(0, Number(handoffCount.count))),
      message_count: (lastMessage?.position ?? -1) + 1,
      turn_count: turn.position + 1,
      rewind_count: chat.rewind_count + 1,
      updated_at: now,
    })
    .where('chat_id', '=', chatId)
    .execute()
}

async function findLastState(transaction: Transaction, chatId: string): Promise<DialogueState | null> {
  const row = await transaction
    .selectFrom('turns')
    .select('state')
    .where('chat_id', '=', chatId)
    .where('state', 'is not', null)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined || row.state === null ? null : (JSON.parse(row.state) as DialogueState)
}
