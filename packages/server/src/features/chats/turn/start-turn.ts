import { notFound } from '../../../kernel/errors.ts'
import { BatchConflictError } from '../../../kernel/storage/database.ts'
import type { Background } from '../../../kernel/work/background.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../../tables/chat-tables.ts'
import { findChat, findLastTurn, HISTORY_LIMIT, readHistory } from '../chat-store.ts'
import type { AbandonedTurns } from '../failover/abandoned-turns.ts'
import { resumeTurn } from '../failover/resume-turn.ts'
import { buildFrameInserts } from '../journal/journal-store.ts'
import type { TurnFollowers } from '../journal/turn-followers.ts'
import type { TurnQueue } from '../queue/turn-queue.ts'
import { findEarlierTurn, type KeyedRequest, type TurnRegistry } from '../queue/turn-registry.ts'
import { createEmptyAnswer } from './answer.ts'
import {
  createChatEndedError,
  findUnansweredMessage,
  isAnswered,
  type PreparedTurn,
  type PrepareTurnDependencies,
  prepareTurn,
  toApiError,
  toConversation,
} from './turn-context.ts'
import { performTurn, TurnLostError, type TurnPerformerDependencies } from './turn-performer.ts'
import type { TurnRun } from './turn-run.ts'
import { buildStartRows, buildStartStatements, type TurnStart } from './turn-writes.ts'

/** Maximum number of chats with a cached history. */
const MAX_CHATS = 500
/** Maximum number of cached characters, about 64 MB. */
const MAX_CHARACTERS = 32 * 1024 * 1024

/** Identifies a version of a chat's history. */
interface HistoryVersion {
  readonly turnCount: number
  readonly messageCount: number
  readonly rewindCount: number
}

interface History extends HistoryVersion {
  readonly rows: readonly MessageRow[]
  readonly characters: number
}

/** Caches the messages of recently active chats. An entry is valid only while the chat's counts are unchanged. */
export class HistoryCache {
  readonly #histories = new Map<string, History>()
  #characters = 0

  /** Returns a chat's messages, oldest first, or `null` if they must be read. */
  find(chat: Pick<ChatRow, 'chat_id' | 'turn_count' | 'message_count' | 'rewind_count'>): readonly MessageRow[] | null {
    const cachedHistory = this.#histories.get(chat.chat_id)
    if (cachedHistory?.turnCount !== chat.turn_count || cachedHistory.messageCount !== chat.message_count) return null
    return cachedHistory.rewindCount === chat.rewind_count ? cachedHistory.rows : null
  }

  /** Stores a chat's messages after a turn. */
  put(chatId: string, historyVersion: HistoryVersion, rows: readonly MessageRow[]): void {
    this.evict(chatId)
    let characters = 0
    for (const row of rows) characters += row.content.length + row.tool_calls.length
    this.#histories.set(chatId, { ...historyVersion, rows, characters })
    this.#characters += characters
    // A Map keeps insertion order, so the first entry is the least recently used.
    for (const oldestChatId of this.#histories.keys()) {
      if (this.#histories.size <= MAX_CHATS && this.#characters <= MAX_CHARACTERS) break
      this.evict(oldestChatId)
    }
  }

  evict(chatId: string): void {
    this.#characters -= this.#histories.get(chatId)?.characters ?? 0
    this.#histories.delete(chatId)
  }
}

/** A turn to run after the earlier turns of its chat. */
interface TurnRequest extends PreparedTurn {
  readonly run: TurnRun
  readonly request: KeyedRequest & { readonly workspaceId: number }
  readonly idempotencyHash: string | null
  /** The chat's current row. Null if it must be read when the turn starts. */
  readonly currentChat: ChatRow | null
}

export interface TurnStarterDependencies extends TurnPerformerDependencies, PrepareTurnDependencies {
  readonly background: Background
  readonly onTurnEnd: (turn: { status: string; durationMs: number; firstTextMs: number | null }) => void
  readonly registry: TurnRegistry
  readonly followers: TurnFollowers
  readonly queue: TurnQueue
  readonly abandonedTurns: AbandonedTurns
}

/** Starts turns at the head of their queue and runs them to their end. */
export class TurnStarter {
  readonly #dependencies: TurnStarterDependencies
  readonly #histories = new HistoryCache()

  constructor(dependencies: TurnStarterDependencies) {
    this.#dependencies = dependencies
  }

  /** Runs a turn. All earlier turns of its chat on this node must have ended. */
  async start(request: TurnRequest): Promise<void> {
    const { run, idempotencyHash } = request
    await this.#runToEnd(run, idempotencyHash, () => this.#startWhenFree(request))
  }

  /** Continues a dead node's turn after its `takeoverCount`th takeover. */
  async resume(run: TurnRun, turn: TurnRow, takeoverCount: number): Promise<void> {
    await this.#runToEnd(run, turn.idempotency_hash, () => resumeTurn(this.#dependencies, { run, turn, takeoverCount }))
  }

  async #runToEnd(run: TurnRun, idempotencyHash: string | null, work: () => Promise<void>): Promise<void> {
    const { clock, onTurnEnd, registry, queue } = this.#dependencies
    const startMs = clock.now()
    try {
      await work()
      if (run.state.phase !== 'ended') return
      const { outcome, firstTextMs } = run.state
      onTurnEnd({ status: outcome.status, durationMs: clock.now() - startMs, firstTextMs })
    } catch (error) {
      this.#handleFailure(run, error)
    } finally {
      registry.remove(run, idempotencyHash)
      queue.handleTurnEnd(run.chatId)
    }
  }

  #handleFailure(run: TurnRun, error: unknown): void {
    const { journal, abandonedTurns } = this.#dependencies
    if (error instanceof TurnLostError) run.dispatch({ type: 'moved' })
    journal?.stopRecording(run)
    if (run.state.phase === 'moved') return
    const apiError = toApiError(error, run.chatId)
    run.dispatch({ type: 'failed', error: apiError })
    if (apiError.status < 500) return
    abandonedTurns.add(run)
    throw error
  }

  async #startWhenFree(turn: TurnRequest): Promise<void> {
    const { database, queue, abandonedTurns } = this.#dependencies
    const { run, request } = turn
    const deadlineMs = queue.getDeadline()
    let chat = turn.currentChat
    let isStarted = false
    let isEnqueued = false
    try {
      while (run.stopReason === null) {
        if (chat === null) {
          chat = await findChat(database.read, request.workspaceId, request.chatId)
          if (await this.#joinEarlierTurn(turn)) return
        }
        if (chat === null) throw notFound('chat', request.chatId)
        if (chat.status !== 'ongoing') throw createChatEndedError(chat.chat_id)
        if (chat.active_turn_id === null) isStarted = await this.#runTurn(turn, chat)
        if (isStarted) return
        isEnqueued = true
        await queue.wait(run, deadlineMs)
        chat = null
      }
      run.dispatch({ type: 'left-queue' })
    } finally {
      if (isEnqueued && !isStarted) await queue.removeFromQueue(run).catch(() => abandonedTurns.add(run))
    }
  }

  /** Joins the turn that an earlier request with the same key started. Returns false if there is none. */
  async #joinEarlierTurn({ run, request, idempotencyHash }: TurnRequest): Promise<boolean> {
    const turn = idempotencyHash === null ? null : await findEarlierTurn(this.#dependencies, request, idempotencyHash)
    if (turn !== null) run.dispatch({ type: 'join', turn })
    return turn !== null
  }

  /** Runs the turn. Returns false if another turn started first. */
  async #runTurn(turn: TurnRequest, chat: ChatRow): Promise<boolean> {
    const { run, request, idempotencyHash } = turn
    const { database, clock, makeId, nodes } = this.#dependencies
    // The chat's agent may have changed since the request arrived.
    const { agent, resolveModel } = chat === turn.currentChat ? turn : await prepareTurn(this.#dependencies, chat)
    const now = clock.now()
    const messages = this.#histories.find(chat)
    const history = messages === null ? await readHistory(database.read, chat.chat_id) : { messages, omittedCount: 0 }
    const unansweredMessage = await this.#findUnanswered(chat, history.messages, request.content)
    const isContinuation = unansweredMessage !== null
    const conversation = toConversation(chat, { history, agent }, { now, isContinuation })
    const newMessage = isContinuation ? null : { message_id: makeId('message'), role: 'user', content: request.content }
    const turnStart: TurnStart = {
      chatId: chat.chat_id,
      turnId: run.turnId,
      turnPosition: chat.turn_count,
      messagePosition: chat.message_count,
      rewindCount: chat.rewind_count,
      userMessage: newMessage,
      userMessageId: newMessage?.message_id ?? unansweredMessage?.message_id ?? '',
      idempotencyHash,
      nodeId: nodes.nodeId,
      place: run.state.phase === 'queued' ? run.state.place : null,
      now,
    }
    const position = chat.message_count + (isContinuation ? 0 : 1)
    const answer = createEmptyAnswer({ baseline: conversation, startedAtMs: now, position })
    run.dispatch({ type: 'start', turnId: run.turnId, answer })
    const input = isContinuation
      ? ({ type: 'continue' } as const)
      : { type: 'user-message' as const, content: request.content }
    try {
      const startWrite = this.#storeStart(run, turnStart)
      await performTurn(this.#dependencies, { run, chat, resolveModel, conversation, input, startWrite })
    } catch (error) {
      if (run.state.phase === 'queued') return false
      throw error
    }
    this.#cacheHistory(run, turnStart, history.messages)
    return true
  }

  /** Finds an earlier turn's unanswered message that this request repeats. */
  async #findUnanswered(chat: ChatRow, messages: readonly MessageRow[], content: string): Promise<MessageRow | null> {
    const { read } = this.#dependencies.database
    const lastTurn = isAnswered(messages) ? null : await findLastTurn(read, chat.chat_id)
    const message = findUnansweredMessage(messages, lastTurn)
    return message?.content === content ? message : null
  }

  /** Stores the start of the turn. The model already runs, but nothing else is published or stored until the write ends. */
  #storeStart(run: TurnRun, turnStart: TurnStart): Promise<void> {
    const { database, journal } = this.#dependencies
    const statements = buildStartStatements(database, turnStart)
    if (journal !== null) {
      const startChunk = { turnId: run.turnId, frames: run.log.getFrames() }
      statements.push(...buildFrameInserts(database, [startChunk], { nodeId: turnStart.nodeId, now: turnStart.now }))
    }
    const recordedCount = run.log.length
    const startWrite = database.batch(statements).then(
      () => {
        run.dispatch({ type: 'started' })
        if (journal === null) run.log.showAll()
        else journal.open(run, recordedCount)
      },
      (error: unknown) => {
        if (error instanceof BatchConflictError) run.dispatch({ type: 'start-rejected' })
        else run.cancel()
        throw error
      },
    )
    // The promise is awaited later. This handler prevents an unhandled rejection until then.
    startWrite.catch(() => undefined)
    return startWrite
  }

  /** Caches the messages for the next turn unless there are too many. */
  #cacheHistory({ state, chatId }: TurnRun, turnStart: TurnStart, earlierMessages: readonly MessageRow[]): void {
    this.#histories.evict(chatId)
    if (state.phase !== 'ended' || state.outcome.status !== 'completed') return
    const rows = [...earlierMessages, ...buildStartRows(turnStart), ...state.storedRows]
    if (rows.length > HISTORY_LIMIT) return
    const messageCount = (rows.at(-1)?.position ?? -1) + 1
    const historyVersion = { turnCount: turnStart.turnPosition + 1, messageCount, rewindCount: turnStart.rewindCount }
    this.#histories.put(chatId, historyVersion, rows)
  }
}
