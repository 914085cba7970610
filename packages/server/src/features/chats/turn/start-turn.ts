import type { Background } from '../../../kernel/background.ts'
import { BatchConflictError } from '../../../kernel/database.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../../kernel/tables/chat-tables.ts'
import { findChat, findLastTurn, HISTORY_LIMIT, readMessages } from '../chat-store.ts'
import type { LeftTurns } from '../failover/abandoned-turns.ts'
import type { PatientWrites } from '../failover/patient-writes.ts'
import { resumeTurn } from '../failover/resume-turn.ts'
import type { FinishedTurns } from '../finished-turns.ts'
import { recordFrames } from '../journal/journal-store.ts'
import type { TurnFollowers } from '../journal/turn-followers.ts'
import type { TurnJournal } from '../journal/turn-journal.ts'
import { findEarlierTurn, type KeyedRequest } from '../queue/earlier-turns.ts'
import type { TurnLine } from '../queue/turn-queue.ts'
import type { RunningTurns } from '../queue/turn-registry.ts'
import { type PreparedTurn, type PrepareTurnDependencies, prepareTurn } from './prepare-turn.ts'
import { RecentHistories } from './recent-histories.ts'
import { isAnswered, toConversation, unansweredMessage } from './turn-context.ts'
import { TurnDriver, type TurnDriverDependencies, TurnLostError } from './turn-performer.ts'
import { chatEnded, toProblem } from './turn-problems.ts'
import type { TurnOutcome, TurnRun } from './turn-run.ts'
import { beginRows, beginStatements, type TurnBegin } from './turn-writes.ts'

/** A turn that waits in its chat's line. */
export interface TurnRequest extends PreparedTurn {
  readonly run: TurnRun
  readonly request: KeyedRequest & { readonly workspaceId: number }
  readonly hash: string | null
  /** The chat as it is when the turn begins; `null` when it must be read then. */
  readonly known: ChatRow | null
}

export interface TurnPerformerDependencies extends TurnDriverDependencies, PrepareTurnDependencies {
  readonly background: Background
  readonly onTurnEnd: (turn: { status: string; durationMs: number; firstTextMs: number | null }) => void
  readonly running: RunningTurns
  readonly finished: FinishedTurns
  readonly followers: TurnFollowers
  readonly line: TurnLine
  /** `null` where no other node can tell or continue a turn. */
  readonly journal: TurnJournal | null
  readonly writes: PatientWrites
  readonly left: LeftTurns
}

/** How a turn ended, before its readers are told. */
export interface EndedTurn {
  readonly outcome: TurnOutcome
  readonly firstTextMs: number | null
}

/** Runs turns from the head of their line to their end. */
export class TurnPerformer {
  readonly #dependencies: TurnPerformerDependencies
  readonly #histories = new RecentHistories()

  constructor(dependencies: TurnPerformerDependencies) {
    this.#dependencies = dependencies
  }

  /** Runs a turn that nobody of this node is before in its line. */
  async perform(start: TurnRequest): Promise<void> {
    const { run, hash } = start
    await this.#conclude(run, hash, () => (run.isStopped ? Promise.resolve(neverBegan(run)) : this.#begin(start)))
  }

  /** Goes on with a turn whose node died and that was taken over for the `takeOvers`th time. */
  async resume(run: TurnRun, turn: TurnRow, takeOvers: number): Promise<void> {
    await this.#conclude(run, turn.idempotency_hash, () => resumeTurn(this.#dependencies, { run, turn, takeOvers }))
  }

  /** Ends the run as `work` does; `null` is a turn that ends elsewhere. */
  async #conclude(run: TurnRun, hash: string | null, work: () => Promise<EndedTurn | null>): Promise<void> {
    const { clock, onTurnEnd, running, finished, line } = this.#dependencies
    const startedAt = clock.now()
    try {
      const ended = await work()
      if (ended === null) return
      const { outcome, firstTextMs } = ended
      run.finish(outcome)
      onTurnEnd({ status: outcome.status, durationMs: clock.now() - startedAt, firstTextMs })
    } catch (error) {
      this.#fail(run, error)
    } finally {
      running.remove(run, hash)
      if (!run.isMirror && !run.isLost) finished.keep(run)
      line.moveOn(run.chatId)
    }
  }

  #fail(run: TurnRun, error: unknown): void {
    const { journal, left } = this.#dependencies
    if (error instanceof TurnLostError) run.lose()
    journal?.leave(run)
    if (run.isLost) return
    const problem = toProblem(error, run.chatId)
    run.reject(problem, { code: problem.code, error: problem.message })
    if (problem.status < 500) return
    left.add(run)
    throw error
  }

  async #begin(start: TurnRequest): Promise<EndedTurn | null> {
    const { database, line } = this.#dependencies
    const { run, request, hash } = start
    const untilMs = line.deadline()
    let chat = start.known
    let place: number | null = null
    let ended: EndedTurn | null = null
    try {
      while (ended === null) {
        if (chat === null) {
          chat = await findChat(database.read, request.workspaceId, request.chatId)
          // A retry may have begun the turn on another node meanwhile; one that begins after this look changes the chat.
          const earlier = hash === null ? null : await findEarlierTurn(this.#dependencies, request, hash)
          if (earlier !== null) {
            run.mirror(earlier)
            return null
          }
        }
        if (chat === null) throw notFound('chat', request.chatId)
        if (chat.status !== 'ongoing') throw chatEnded(chat.chat_id)
        if (chat.active_turn_id === null) {
          // A turn before this one may have handed the chat over, or taken that back.
          const prepared = chat === start.known ? start : await prepareTurn(this.#dependencies, chat)
          ended = await this.#drive({ ...start, ...prepared }, chat, place)
        }
        if (ended === null) {
          place = await line.wait(run, place, untilMs)
          if (run.isStopped) return neverBegan(run)
          chat = null
        }
      }
      return ended
    } finally {
      if (place !== null && ended === null) await this.#leaveLine(run)
    }
  }

  async #leaveLine(run: TurnRun): Promise<void> {
    await this.#dependencies.line.leave(run).catch(() => this.#dependencies.left.add(run))
  }

  /** Runs the turn; `null` when another one came before it. */
  async #drive(start: TurnRequest, chat: ChatRow, place: number | null): Promise<EndedTurn | null> {
    const { run, request, agent, resolveModel, hash } = start
    const { database, clock, makeId, nodes, writes } = this.#dependencies
    const { read } = database
    const now = clock.now()
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
      rewindCount: chat.rewind_count,
      userMessage,
      userMessageId: userMessage?.message_id ?? continued?.message_id ?? '',
      idempotencyHash: hash,
      nodeId: nodes.nodeId,
      place,
      now,
    }
    const attempt = this.#store(run, begin)
    const driver = new TurnDriver(this.#dependencies, {
      run,
      writes,
      chat,
      resolveModel,
      begun: attempt.begun,
      conversation: toConversation(chat, messages, agent, now),
      input: userMessage === null ? { type: 'continue' } : { type: 'user-message', content: request.content },
      position: chat.message_count + (userMessage === null ? 0 : 1),
      earlier: [],
      retelling: null,
      startedAt: now,
    })
    let outcome: TurnOutcome
    try {
      outcome = await driver.drive()
    } catch (error) {
      if (attempt.cameLate()) return null
      throw error
    }
    if (outcome.status === 'completed') this.#remember(begin, [...messages, ...beginRows(begin), ...driver.stored])
    else this.#histories.forget(chat.chat_id)
    return { outcome, firstTextMs: driver.firstTextMs }
  }

  /** Stores the beginning. The model is asked while the disk works; nothing is told or written before it is on record. */
  #store(run: TurnRun, begin: TurnBegin): { readonly begun: Promise<void>; cameLate(): boolean } {
    const { database, journal } = this.#dependencies
    run.log.hold()
    run.log.append({ event: 'turn.started', data: { turn_id: run.turnId } })
    const statements = beginStatements(database, begin)
    if (journal !== null) {
      const first = { turnId: run.turnId, frames: run.log.frames() }
      statements.push(...recordFrames(database, [first], { nodeId: begin.nodeId, now: begin.now }))
    }
    let isLate = false
    const begun = database.batch(statements).then(
      () => (journal === null ? run.log.release() : journal.open(run, 1)),
      (error: unknown) => {
        isLate = error instanceof BatchConflictError
        if (isLate) run.startAnew()
        else run.cancel()
        throw error
      },
    )
    // The driver awaits it before it writes; until then nobody looks at a failure.
    begun.catch(() => undefined)
    return { begun, cameLate: () => isLate }
  }

  #remember(begin: TurnBegin, rows: readonly MessageRow[]): void {
    const { rewindCount } = begin
    const messageCount = (rows.at(-1)?.position ?? -1) + 1
    const mark = { turnCount: begin.turnPosition + 1, messageCount, rewindCount }
    this.#histories.keep(begin.chatId, mark, rows.slice(-HISTORY_LIMIT))
  }
}

/** A turn that was stopped in its line leaves nothing. */
function neverBegan(run: TurnRun): EndedTurn {
  return { outcome: { status: run.stoppedAs, messages: [], failure: null }, firstTextMs: null }
}
