import { createHash } from 'node:crypto'
import type { ResolveModel } from '@parley/engine/ports'
import type { Background } from '../../kernel/background.ts'
import { BatchConflictError } from '../../kernel/database.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { AgentUse, PinnedAgent } from '../../kernel/pinned-agent.ts'
import type { ChatRow, MessageRow } from '../../kernel/tables/chat-tables.ts'
import { isAnswered, toConversation, unansweredMessage } from './chat-conversation.ts'
import type { ChatLines } from './chat-lines.ts'
import { findChat, findLastTurn, findTurn, findTurnByKey, HISTORY_LIMIT, readMessages } from './chat-store.ts'
import { FinishedTurns } from './finished-turns.ts'
import { RecentHistories } from './recent-histories.ts'
import { storedOutcome, storedTurnLog } from './stored-turn.ts'
import { TurnDriver, type TurnDriverDependencies } from './turn-driver.ts'
import type { TurnLog } from './turn-log.ts'
import { type TurnOutcome, TurnRun } from './turn-run.ts'
import { beginRows, beginStatements, type TurnBegin } from './turn-writes.ts'

export interface CompletionRequest {
  readonly workspaceId: number
  readonly chatId: string
  readonly content: string
  readonly actorId: string
  readonly idempotencyKey: string | null
}

/** A turn that waits in its chat's line. */
interface TurnRequest {
  readonly run: TurnRun
  readonly request: CompletionRequest
  readonly agent: PinnedAgent
  readonly resolveModel: ResolveModel
  readonly hash: string | null
  /** The chat as it is when the turn begins; `null` when it must be read then. */
  readonly known: ChatRow | null
}

/** A turn to wait for or to follow; `replayed` when it began with an earlier request of the same key. */
export interface Turn {
  readonly log: TurnLog
  readonly outcome: Promise<TurnOutcome>
  readonly replayed: boolean
}

/** Which models a workspace can use now. */
export interface UsableModels {
  readonly resolve: ResolveModel
  /** What can be named now, for messages. */
  configured(): readonly string[]
}

export interface CompletionDependencies extends TurnDriverDependencies {
  readonly agents: AgentUse
  readonly lines: ChatLines
  readonly background: Background
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
  readonly onTurnEnd: (turn: { status: string; durationMs: number; firstTextMs: number | null }) => void
}

/** Answers messages of chats: one turn at a time per chat, in the order of arrival. */
export class CompletionService {
  readonly #dependencies: CompletionDependencies
  readonly #running = new Map<string, TurnRun>()
  readonly #finished = new FinishedTurns()
  readonly #histories = new RecentHistories()
  /** Turns that wait or run, by their idempotency hash, with their input. */
  readonly #byKey = new Map<string, { run: TurnRun; content: string }>()

  constructor(dependencies: CompletionDependencies) {
    this.#dependencies = dependencies
  }

  /** Turns that wait or run now. */
  get activeCount(): number {
    return this.#running.size
  }

  /** Chats with a turn that waits or runs. */
  activeChatIds(): string[] {
    return [...new Set([...this.#running.values()].map((run) => run.chatId))]
  }

  /** Begins a turn, or attaches to the one that the same idempotency key began. */
  async complete(request: CompletionRequest): Promise<Turn> {
    const { database } = this.#dependencies
    const chat = await findChat(database.read, request.workspaceId, request.chatId)
    if (chat === null) throw notFound('chat', request.chatId)
    const hash = idempotencyHash(request)
    const earlier = hash === null ? null : await this.#findEarlier(request, hash)
    if (earlier !== null) return earlier
    const { agent, resolveModel } = await this.#prepare(chat)
    // Two retries may have come this far together; from here on nothing waits until the turn is registered.
    const waiting = hash === null ? undefined : this.#byKey.get(hash)
    if (hash !== null && waiting !== undefined) return attach(waiting, request)
    const run = new TurnRun(this.#dependencies.makeId('turn'), chat.chat_id)
    this.#running.set(run.turnId, run)
    if (hash !== null) this.#byKey.set(hash, { run, content: request.content })
    const { background, lines } = this.#dependencies
    // With nobody before it in the line, what was just read still holds.
    const known = lines.isBusy(chat.chat_id) ? null : chat
    const start = { run, request, agent, resolveModel, hash, known }
    background.run('turn', () => lines.run(chat.chat_id, () => this.#perform(start)))
    return { log: run.log, outcome: run.outcome, replayed: false }
  }

  /** The events of a turn, running or past. */
  async follow(workspaceId: number, chatId: string, turnId: string): Promise<TurnLog> {
    const run = this.#find(chatId, turnId)
    const chat = await findChat(this.#dependencies.database.read, workspaceId, chatId)
    if (chat === null) throw notFound('chat', chatId)
    if (run !== null) return run.log
    const turn = await findTurn(this.#dependencies.database.read, chatId, turnId)
    if (turn === null) throw notFound('turn', turnId)
    return await storedTurnLog(this.#dependencies.database.read, turn)
  }

  /** Stops a turn that waits or runs, and waits until what it left is stored. */
  async cancel(workspaceId: number, chatId: string, turnId: string): Promise<TurnOutcome['status']> {
    const chat = await findChat(this.#dependencies.database.read, workspaceId, chatId)
    if (chat === null) throw notFound('chat', chatId)
    const run = this.#running.get(turnId)
    if (run?.chatId === chatId) {
      run.cancel()
      const { status } = await run.outcome
      if (status !== 'cancelled') throw turnNotRunning(status)
      return status
    }
    const turn = await findTurn(this.#dependencies.database.read, chatId, turnId)
    if (turn === null) throw notFound('turn', turnId)
    if (turn.status !== 'cancelled') throw turnNotRunning(turn.status)
    return 'cancelled'
  }

  /** Stops every turn of a chat that waits or runs. */
  cancelAll(chatId: string): void {
    for (const run of this.#running.values()) if (run.chatId === chatId) run.cancel()
  }

  /** Stops every turn, since the process has no more time. */
  interruptAll(): void {
    for (const run of this.#running.values()) run.interrupt()
  }

  async #findEarlier(request: CompletionRequest, hash: string): Promise<Turn | null> {
    const waiting = this.#byKey.get(hash)
    if (waiting !== undefined) return attach(waiting, request)
    const { read } = this.#dependencies.database
    const turn = await findTurnByKey(read, request.chatId, hash)
    if (turn === null) return null
    const input = await read
      .selectFrom('messages')
      .select('content')
      .where('message_id', '=', turn.user_message_id)
      .executeTakeFirst()
    if (input?.content !== request.content) throw keyReused()
    // A turn that failed or died is not an answer: the retry continues its message.
    if (turn.status !== 'completed' && turn.status !== 'cancelled') return null
    return { log: await storedTurnLog(read, turn), outcome: storedOutcome(read, turn), replayed: true }
  }

  /** Everything that can refuse a message before it is stored. */
  async #prepare(chat: ChatRow): Promise<{ agent: PinnedAgent; resolveModel: ResolveModel }> {
    if (chat.status !== 'ongoing') throw chatEnded(chat.chat_id)
    const loading = this.#dependencies.agents.load({
      workspaceId: chat.workspace_id,
      agentId: chat.agent_id,
      agentVersion: chat.agent_version,
      engineId: chat.engine_id ?? '',
      engineVersion: chat.engine_version ?? 0,
    })
    const [agent, models] = await Promise.all([loading, this.#dependencies.models.forWorkspace(chat.workspace_id)])
    if ([agent.engine.model, ...agent.fallbackModels].every((name) => models.resolve(name) === null)) {
      const configured = models.configured().join(', ')
      throw new AppError(
        'model_not_configured',
        `No configured provider serves the model "${agent.engine.model}". Configured: ${configured}.`,
      )
    }
    return { agent, resolveModel: models.resolve }
  }

  async #perform(start: TurnRequest): Promise<void> {
    const { run, hash } = start
    const { clock, onTurnEnd } = this.#dependencies
    const startedAt = clock.now()
    try {
      const { outcome, firstTextMs } = run.signal.aborted ? NEVER_BEGAN : await this.#drive(start)
      run.finish(outcome)
      onTurnEnd({ status: outcome.status, durationMs: clock.now() - startedAt, firstTextMs })
    } catch (error) {
      const problem = toProblem(error, run.chatId)
      run.reject(problem, { code: problem.code, error: problem.message })
      if (problem.status >= 500) throw error
    } finally {
      this.#running.delete(run.turnId)
      if (hash !== null) this.#byKey.delete(hash)
      this.#finished.keep(run)
    }
  }

  async #drive(start: TurnRequest): Promise<{ outcome: TurnOutcome; firstTextMs: number | null }> {
    const { run, request, agent, resolveModel, hash, known } = start
    const { database, clock, makeId } = this.#dependencies
    const { read } = database
    const now = clock.now()
    const chat = known ?? (await findChat(read, request.workspaceId, request.chatId))
    if (chat === null) throw notFound('chat', request.chatId)
    if (chat.status !== 'ongoing') throw chatEnded(chat.chat_id)
    const messages = this.#histories.find(chat) ?? (await readMessages(read, chat.chat_id))
    const lastTurn = isAnswered(messages) ? null : await findLastTurn(read, chat.chat_id)
    const unanswered = unansweredMessage(messages, lastTurn)
    const continued = unanswered?.content === request.content ? unanswered : null
    const userMessage =
      continued === null ? { message_id: makeId('message'), role: 'user', content: request.content } : null
    const begin: TurnBegin = {
      chatId: chat.chat_id,
      turnId: run.turnId,
      turnPosition: chat.turn_count,
      messagePosition: chat.message_count,
      userMessage,
      userMessageId: userMessage?.message_id ?? continued?.message_id ?? '',
      idempotencyHash: hash,
      now,
    }
    // The model is asked while the disk works; nothing is told or written before the user's message is on record.
    run.log.hold()
    run.log.append({ event: 'turn.started', data: { turn_id: run.turnId } })
    const begun = database.batch(beginStatements(database, begin)).then(
      () => run.log.release(),
      (error: unknown) => {
        run.cancel()
        throw error instanceof BatchConflictError ? chatEnded(chat.chat_id) : error
      },
    )
    // The driver awaits it before it writes; until then nobody looks at a failure.
    begun.catch(() => undefined)
    const driver = new TurnDriver(this.#dependencies, {
      run,
      workspaceId: chat.workspace_id,
      resolveModel,
      begun,
      conversation: toConversation(chat, messages, agent, now),
      input: userMessage === null ? { type: 'continue' } : { type: 'user-message', content: request.content },
      position: chat.message_count + (userMessage === null ? 0 : 1),
      startedAt: now,
    })
    const outcome = await driver.drive()
    if (outcome.status === 'completed') this.#remember(begin, [...messages, ...beginRows(begin), ...driver.stored])
    else this.#histories.forget(chat.chat_id)
    return { outcome, firstTextMs: driver.firstTextMs }
  }

  #remember(begin: TurnBegin, rows: readonly MessageRow[]): void {
    const messageCount = (rows.at(-1)?.position ?? -1) + 1
    this.#histories.keep(begin.chatId, { turnCount: begin.turnPosition + 1, messageCount }, rows.slice(-HISTORY_LIMIT))
  }

  #find(chatId: string, turnId: string): TurnRun | null {
    const run = this.#running.get(turnId) ?? this.#finished.get(turnId)
    return run?.chatId === chatId ? run : null
  }
}

/** Why a turn could not begin or be stored. A chat that was deleted under its turn is simply not there any more. */
function toProblem(error: unknown, chatId: string): AppError {
  if (error instanceof AppError) return error
  if (error instanceof BatchConflictError) return notFound('chat', chatId)
  return new AppError('internal_error', 'The turn could not be stored.', { cause: error })
}

/** A turn that was cancelled in its line leaves nothing. */
const NEVER_BEGAN: { outcome: TurnOutcome; firstTextMs: null } = {
  outcome: { status: 'cancelled', messages: [], failure: null },
  firstTextMs: null,
}

function idempotencyHash({ actorId, chatId, idempotencyKey }: CompletionRequest): string | null {
  if (idempotencyKey === null) return null
  return createHash('sha256').update(`${actorId}\n${chatId}\n${idempotencyKey}`).digest('hex')
}

function attach({ run, content }: { run: TurnRun; content: string }, request: CompletionRequest): Turn {
  if (content !== request.content) throw keyReused()
  return { log: run.log, outcome: run.outcome, replayed: true }
}

function keyReused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another body; use a new key for a new request.',
  )
}

function chatEnded(chatId: string): AppError {
  return new AppError('chat_ended', `The chat "${chatId}" has ended; create a new one to go on.`)
}

function turnNotRunning(status: string): AppError {
  return new AppError('turn_not_running', `The turn is over (${status}) and cannot be cancelled.`)
}
