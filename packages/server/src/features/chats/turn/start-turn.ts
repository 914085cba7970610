import { notFound } from '../../../kernel/errors.ts'
import { BatchConflictError } from '../../../kernel/storage/database.ts'
import type { Background } from '../../../kernel/work/background.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../../tables/chat-tables.ts'
import { findChat, findLastTurn, HISTORY_LIMIT, readHistory } from '../chat-store.ts'
import type { AbandonedTurns } from '../failover/abandoned-turns.ts'
import { resumeTurn } from '../failover/resume-turn.ts'
import { recordFrames } from '../journal/journal-store.ts'
import type { TurnFollowers } from '../journal/turn-followers.ts'
import { findEarlierTurn, type KeyedRequest } from '../queue/earlier-turns.ts'
import type { TurnQueue } from '../queue/turn-queue.ts'
import type { TurnRegistry } from '../queue/turn-registry.ts'
import { emptyAnswer } from './answer.ts'
import { RecentHistories } from './recent-histories.ts'
import {
  isAnswered,
  type PreparedTurn,
  type PrepareTurnDependencies,
  prepareTurn,
  toConversation,
  unansweredMessage,
} from './turn-context.ts'
import { performTurn, TurnLostError, type TurnPerformerDependencies } from './turn-performer.ts'
import { chatEnded, toProblem } from './turn-problems.ts'
import type { TurnRun } from './turn-run.ts'
import { startRows, startStatements, type TurnStart } from './turn-writes.ts'

/** A turn that waits in its chat's queue. */
export interface TurnRequest extends PreparedTurn {
  readonly run: TurnRun
  readonly request: KeyedRequest & { readonly workspaceId: number }
  readonly hash: string | null
  /** The chat as it is when the turn starts; null when it must be read then. */
  readonly known: ChatRow | null
}

export interface TurnStarterDependencies extends TurnPerformerDependencies, PrepareTurnDependencies {
  readonly background: Background
  readonly onTurnEnd: (turn: { status: string; durationMs: number; firstTextMs: number | null }) => void
  readonly registry: TurnRegistry
  readonly followers: TurnFollowers
  readonly queue: TurnQueue
  readonly abandoned: AbandonedTurns
}

/** Takes turns from the head of their queue to their end. */
export class TurnStarter {
  readonly #dependencies: TurnStarterDependencies
  readonly #histories = new RecentHistories()

  constructor(dependencies: TurnStarterDependencies) {
    this.#dependencies = dependencies
  }

  /** Runs a turn that no turn of this node is before in its queue. */
  async start(request: TurnRequest): Promise<void> {
    const { run, hash } = request
    await this.#conclude(run, hash, () => this.#startWhenFree(request))
  }

  /** Goes on with a turn whose node died and that was taken over for the `takeoverCount`th time. */
  async resume(run: TurnRun, turn: TurnRow, takeoverCount: number): Promise<void> {
    await this.#conclude(run, turn.idempotency_hash, () => resumeTurn(this.#dependencies, { run, turn, takeoverCount }))
  }

  async #conclude(run: TurnRun, hash: string | null, work: () => Promise<void>): Promise<void> {
    const { clock, onTurnEnd, registry, queue } = this.#dependencies
    const startedAt = clock.now()
    try {
      await work()
      if (run.state.phase !== 'ended') return
      const { outcome, firstTextMs } = run.state
      onTurnEnd({ status: outcome.status, durationMs: clock.now() - startedAt, firstTextMs })
    } catch (error) {
      this.#fail(run, error)
    } finally {
      registry.remove(run, hash)
      queue.turnEnded(run.chatId)
    }
  }

  #fail(run: TurnRun, error: unknown): void {
    const { journal, abandoned } = this.#dependencies
    if (error instanceof TurnLostError) run.dispatch({ type: 'moved' })
    journal?.leave(run)
    if (run.state.phase === 'moved') return
    const problem = toProblem(error, run.chatId)
    run.dispatch({ type: 'failed', error: problem })
    if (problem.status < 500) return
    abandoned.add(run)
    throw error
  }

  async #startWhenFree(start: TurnRequest): Promise<void> {
    const { database, queue, abandoned } = this.#dependencies
    const { run, request } = start
    const untilMs = queue.deadline()
    let chat = start.known
    let isStarted = false
    let isEnqueued = false
    try {
      while (run.stop === null) {
        if (chat === null) {
          chat = await findChat(database.read, request.workspaceId, request.chatId)
          if (await this.#joinEarlier(start)) return
        }
        if (chat === null) throw notFound('chat', request.chatId)
        if (chat.status !== 'ongoing') throw chatEnded(chat.chat_id)
        if (chat.active_turn_id === null) isStarted = await this.#answer(start, chat)
        if (isStarted) return
        isEnqueued = true
        await queue.wait(run, untilMs)
        chat = null
      }
      run.dispatch({ type: 'left-queue' })
    } finally {
      if (isEnqueued && !isStarted) await queue.leave(run).catch(() => abandoned.add(run))
    }
  }

  /** A retry may have started the turn on another node; one that starts it after this changes the chat. */
  async #joinEarlier({ run, request, hash }: TurnRequest): Promise<boolean> {
    const turn = hash === null ? null : await findEarlierTurn(this.#dependencies, request, hash)
    if (turn !== null) run.dispatch({ type: 'join', turn })
    return turn !== null
  }

  /** Runs the turn; false when another one started first. */
  async #answer(start: TurnRequest, chat: ChatRow): Promise<boolean> {
    const { run, request, hash } = start
    const { database, clock, makeId, nodes } = this.#dependencies
    // A turn before this one may have handed the chat over, or taken that back.
    const { agent, resolveModel } = chat === start.known ? start : await prepareTurn(this.#dependencies, chat)
    const now = clock.now()
    const recent = this.#histories.find(chat)
    const history = recent === null ? await readHistory(database.read, chat.chat_id) : { messages: recent, omitted: 0 }
    const continued = await this.#findContinued(chat, history.messages, request.content)
    const isContinuation = continued !== null
    const conversation = toConversation(chat, { history, agent }, { now, isContinuation })
    const newMessage = isContinuation ? null : { message_id: makeId('message'), role: 'user', content: request.content }
    const turnStart: TurnStart = {
      chatId: chat.chat_id,
      turnId: run.turnId,
      turnPosition: chat.turn_count,
      messagePosition: chat.message_count,
      rewindCount: chat.rewind_count,
      userMessage: newMessage,
      userMessageId: newMessage?.message_id ?? continued?.message_id ?? '',
      idempotencyHash: hash,
      nodeId: nodes.nodeId,
      place: run.state.phase === 'queued' ? run.state.place : null,
      now,
    }
    const position = chat.message_count + (isContinuation ? 0 : 1)
    const answer = emptyAnswer({ before: conversation, startedAtMs: now, position })
    run.dispatch({ type: 'start', turnId: run.turnId, answer })
    const input = isContinuation
      ? ({ type: 'continue' } as const)
      : { type: 'user-message' as const, content: request.content }
    try {
      const started = this.#store(run, turnStart)
      await performTurn(this.#dependencies, { run, chat, resolveModel, conversation, input, started })
    } catch (error) {
      if (run.state.phase === 'queued') return false
      throw error
    }
    this.#remember(run, turnStart, history.messages)
    return true
  }

  /** The message that an earlier turn left open and that this request repeats. */
  async #findContinued(chat: ChatRow, messages: readonly MessageRow[], content: string): Promise<MessageRow | null> {
    const { read } = this.#dependencies.database
    const lastTurn = isAnswered(messages) ? null : await findLastTurn(read, chat.chat_id)
    const unanswered = unansweredMessage(messages, lastTurn)
    return unanswered?.content === content ? unanswered : null
  }

  /** Stores the start. The model is asked while the disk works; nothing is shown or stored before it is on record. */
  #store(run: TurnRun, turnStart: TurnStart): Promise<void> {
    const { database, journal } = this.#dependencies
    const statements = startStatements(database, turnStart)
    if (journal !== null) {
      const first = { turnId: run.turnId, frames: run.log.frames() }
      statements.push(...recordFrames(database, [first], { nodeId: turnStart.nodeId, now: turnStart.now }))
    }
    const recorded = run.log.length
    const started = database.batch(statements).then(
      () => {
        run.dispatch({ type: 'started' })
        if (journal === null) run.log.showAll()
        else journal.open(run, recorded)
      },
      (error: unknown) => {
        if (error instanceof BatchConflictError) run.dispatch({ type: 'start-refused' })
        else run.cancel()
        throw error
      },
    )
    // Awaited before anything else is stored; until then nobody looks at a failure.
    started.catch(() => undefined)
    return started
  }

  /** The next turn need not read the messages again, unless there are too many of them. */
  #remember({ state, chatId }: TurnRun, turnStart: TurnStart, before: readonly MessageRow[]): void {
    this.#histories.evict(chatId)
    if (state.phase !== 'ended' || state.outcome.status !== 'completed') return
    const rows = [...before, ...startRows(turnStart), ...state.stored]
    if (rows.length > HISTORY_LIMIT) return
    const messageCount = (rows.at(-1)?.position ?? -1) + 1
    const historyVersion = { turnCount: turnStart.turnPosition + 1, messageCount, rewindCount: turnStart.rewindCount }
    this.#histories.put(chatId, historyVersion, rows)
  }
}
