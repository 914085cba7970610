import type { Background } from '../../kernel/background.ts'
import type { Bus } from '../../kernel/bus.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { Nodes } from '../../kernel/nodes.ts'
import type { TurnRow } from '../../kernel/tables/chat-tables.ts'
import type { ChatLines } from './chat-lines.ts'
import { findChat, findTurn } from './chat-store.ts'
import { LeftTurns } from './failover/abandoned-turns.ts'
import { TurnSignals } from './failover/node-signals.ts'
import { createPatientWrites, createPromptWrites } from './failover/patient-writes.ts'
import { TakeOver } from './failover/take-over.ts'
import { FinishedTurns } from './finished-turns.ts'
import { sweepTurnEvents } from './journal/journal-store.ts'
import { TurnFollowers } from './journal/turn-followers.ts'
import { TurnJournal } from './journal/turn-journal.ts'
import type { TurnEvents } from './journal/turn-log.ts'
import { attach, findEarlierTurn, idempotencyHash, type KeyedRequest } from './queue/earlier-turns.ts'
import { TurnLine } from './queue/turn-queue.ts'
import { RunningTurns } from './queue/turn-registry.ts'
import { type PrepareTurnDependencies, prepareTurn } from './turn/prepare-turn.ts'
import { TurnPerformer, type TurnPerformerDependencies } from './turn/start-turn.ts'
import type { TurnDriverDependencies } from './turn/turn-performer.ts'
import { turnNotRunning } from './turn/turn-problems.ts'
import { type Turn, type TurnOutcome, TurnRun } from './turn/turn-run.ts'

/** Between two looks at a turn that another node is to cancel. */
const CANCEL_LOOK_MS = 250
/** Two looks for each time that the node is told. */
const LOOKS_PER_CANCEL = 2
const CANCEL_DEADLINE_MS = 10_000

export interface CompletionRequest extends KeyedRequest {
  readonly workspaceId: number
}

export interface CompletionDependencies extends TurnDriverDependencies, PrepareTurnDependencies {
  readonly lines: ChatLines
  readonly background: Background
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive' | 'onDeath'>
  readonly bus: Bus
  readonly onTurnEnd: TurnPerformerDependencies['onTurnEnd']
  /** Whether other nodes may run turns on the same database; when absent, what the database says. */
  readonly isShared?: boolean
}

/** Answers messages of chats: one turn at a time per chat, over all nodes, in the order of arrival. */
export class CompletionService {
  readonly #dependencies: CompletionDependencies
  readonly #running = new RunningTurns()
  readonly #finished = new FinishedTurns()
  readonly #isShared: boolean
  readonly #signals: TurnSignals
  readonly #followers: TurnFollowers
  readonly #performer: TurnPerformer
  readonly #takeOver: TakeOver

  constructor(dependencies: CompletionDependencies) {
    this.#dependencies = dependencies
    const { database, clock, nodes, bus } = dependencies
    this.#isShared = dependencies.isShared ?? !database.capabilities.knowsEveryWrite
    this.#signals = new TurnSignals({ bus, clock, nodeId: nodes.nodeId, hasOthers: this.#isShared })
    const adopt = (turn: Pick<TurnRow, 'turn_id' | 'node_id'>): Promise<void> => this.#takeOver.adopt(turn)
    const parts = {
      ...dependencies,
      isShared: this.#isShared,
      signals: this.#signals,
      running: this.#running,
      finished: this.#finished,
      adopt,
    }
    this.#followers = new TurnFollowers(parts)
    this.#performer = new TurnPerformer({
      ...parts,
      followers: this.#followers,
      line: new TurnLine(parts),
      journal: this.#isShared ? new TurnJournal(parts) : null,
      writes: this.#isShared ? createPatientWrites(database, clock) : createPromptWrites(database),
      left: new LeftTurns(parts),
    })
    this.#takeOver = new TakeOver({ ...parts, performer: this.#performer })
    this.#signals.on('turnCancelled', (turnId) => this.#running.get(turnId)?.cancel())
    this.#signals.on('chatCancelled', (chatId) => this.#cancelHere(chatId))
    if (this.#isShared) nodes.onDeath((nodeId) => this.#takeOver.nodeDied(nodeId))
  }

  /** Turns that wait or run now. */
  get activeCount(): number {
    return this.#running.count
  }

  /** Chats with a turn that waits or runs on this node. */
  activeChatIds(): string[] {
    return [...new Set(this.#running.all().map((run) => run.chatId))]
  }

  /** Begins a turn, or attaches to the one that the same idempotency key began. */
  async complete(request: CompletionRequest): Promise<Turn> {
    const { database, makeId, background, lines } = this.#dependencies
    const chat = await findChat(database.read, request.workspaceId, request.chatId)
    if (chat === null) throw notFound('chat', request.chatId)
    const hash = idempotencyHash(request)
    const earlier = hash === null ? null : await this.#findEarlier(request, hash)
    if (earlier !== null) return earlier
    const prepared = await prepareTurn(this.#dependencies, chat)
    // Two retries may have come this far together; from here on nothing waits until the turn is registered.
    const waiting = hash === null ? undefined : this.#running.findByKey(hash)
    if (waiting !== undefined) return attach(waiting, request)
    const run = new TurnRun(makeId('turn'), chat.chat_id)
    this.#running.add(run)
    if (hash !== null) this.#running.addKey(hash, run, request.content)
    // With nobody before it in the line, what was just read still holds.
    const known = lines.isBusy(chat.chat_id) ? null : chat
    const start = { ...prepared, run, request, hash, known }
    background.run('turn', () => lines.run(chat.chat_id, () => this.#performer.perform(start)))
    return { log: run.log, outcome: run.outcome, replayed: false }
  }

  /** The events of a turn, running or past, wherever it runs. */
  async follow(workspaceId: number, chatId: string, turnId: string): Promise<TurnEvents> {
    const run = this.#find(chatId, turnId)
    const turn = await this.#findTurn(workspaceId, chatId, run === null ? turnId : null)
    if (run !== null) return run.log
    if (turn === null) throw notFound('turn', turnId)
    return (await this.#followers.open(turn)).log
  }

  /** Stops a turn that waits or runs, and waits until what it left is stored. */
  async cancel(workspaceId: number, chatId: string, turnId: string): Promise<TurnOutcome['status']> {
    const { clock, database } = this.#dependencies
    const untilMs = clock.now() + CANCEL_DEADLINE_MS
    let turn = await this.#findTurn(workspaceId, chatId, turnId)
    for (let look = 0; ; look += 1) {
      const run = this.#running.get(turnId)
      if (run?.chatId === chatId) return await cancelRun(run)
      if (turn === null) throw notFound('turn', turnId)
      if (turn.status === 'cancelled') return 'cancelled'
      if (turn.status !== 'running' || !this.#followers.mayRunElsewhere(turn)) throw turnNotRunning(turn.status)
      if (clock.now() >= untilMs) throw notStopped()
      if (look % LOOKS_PER_CANCEL === 0) this.#signals.tell('turnCancelled', turnId)
      await new Promise<void>((resolve) => clock.after(CANCEL_LOOK_MS, resolve))
      turn = await findTurn(database.read, chatId, turnId)
    }
  }

  /** Stops every turn of a chat that waits or runs. */
  cancelAll(chatId: string): void {
    this.#cancelHere(chatId)
    this.#signals.tell('chatCancelled', chatId)
  }

  /** Stops every turn, since the process has no more time. */
  interruptAll(): void {
    for (const run of this.#running.all()) run.interrupt()
    this.#followers.closeAll()
  }

  /** Looks after what no node looks after any more: turns of nodes that are gone, and events that nobody follows now. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#dependencies
    if (!this.#isShared) return
    await this.#takeOver.adoptOrphans()
    await sweepTurnEvents(database, clock.now(), signal)
  }

  #cancelHere(chatId: string): void {
    for (const run of this.#running.ofChat(chatId)) run.cancel()
  }

  async #findEarlier(request: CompletionRequest, hash: string): Promise<Turn | null> {
    const waiting = this.#running.findByKey(hash)
    if (waiting !== undefined) return attach(waiting, request)
    const { database } = this.#dependencies
    return await findEarlierTurn({ database, running: this.#running, followers: this.#followers }, request, hash)
  }

  /** A turn of a chat that the workspace has; without an id only the chat is looked for. */
  async #findTurn(workspaceId: number, chatId: string, turnId: string | null): Promise<TurnRow | null> {
    const { read } = this.#dependencies.database
    if ((await findChat(read, workspaceId, chatId)) === null) throw notFound('chat', chatId)
    return turnId === null ? null : await findTurn(read, chatId, turnId)
  }

  #find(chatId: string, turnId: string): TurnRun | null {
    const run = this.#running.get(turnId) ?? this.#finished.get(turnId)
    return run?.chatId === chatId ? run : null
  }
}

async function cancelRun(run: TurnRun): Promise<TurnOutcome['status']> {
  run.cancel()
  const { status } = await run.outcome
  if (status !== 'cancelled') throw turnNotRunning(status)
  return status
}

function notStopped(): AppError {
  return new AppError('unavailable', 'The turn could not be stopped in time; try again.', { retryAfterMs: 1000 })
}
