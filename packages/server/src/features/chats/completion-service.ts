import { AppError, notFound } from '../../kernel/errors.ts'
import type { Background } from '../../kernel/work/background.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import type { Nodes } from '../../kernel/work/nodes.ts'
import type { TurnRow } from '../../tables/chat-tables.ts'
import { findChat, findTurn } from './chat-store.ts'
import { AbandonedTurns } from './failover/abandoned-turns.ts'
import { NodeSignals } from './failover/node-signals.ts'
import { createRetryingWrites, createSingleAttemptWrites } from './failover/retrying-writes.ts'
import { Takeover } from './failover/takeover.ts'
import { sweepTurnEvents } from './journal/journal-store.ts'
import { TurnFollowers } from './journal/turn-followers.ts'
import { TurnJournal } from './journal/turn-journal.ts'
import type { TurnEvents } from './journal/turn-log.ts'
import { attach, findEarlierTurn, idempotencyHash, type KeyedRequest } from './queue/earlier-turns.ts'
import { TurnQueue } from './queue/turn-queue.ts'
import { TurnRegistry } from './queue/turn-registry.ts'
import { TurnStarter, type TurnStarterDependencies } from './turn/start-turn.ts'
import { type PrepareTurnDependencies, prepareTurn } from './turn/turn-context.ts'
import type { TurnPerformerDependencies } from './turn/turn-performer.ts'
import { turnNotRunning } from './turn/turn-problems.ts'
import { TurnRun } from './turn/turn-run.ts'
import type { Turn, TurnOutcome } from './turn/turn-state.ts'

/** Between two polls of a turn that another node is to cancel. */
const CANCEL_POLL_MS = 250
/** The node is asked again at every so many polls. */
const POLLS_PER_CANCEL = 2
const CANCEL_DEADLINE_MS = 10_000

export interface CompletionRequest extends KeyedRequest {
  readonly workspaceId: number
}

export interface CompletionDependencies
  extends Omit<TurnPerformerDependencies, 'writes' | 'journal'>,
    PrepareTurnDependencies {
  readonly background: Background
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive' | 'onDeath'>
  readonly bus: Bus
  readonly onTurnEnd: TurnStarterDependencies['onTurnEnd']
  /** Whether other nodes may run turns on the same database; when absent, what the database says. */
  readonly isShared?: boolean
}

/** Answers messages of chats: one turn at a time per chat, over all nodes, in the order of arrival. */
export class CompletionService {
  readonly #dependencies: CompletionDependencies
  readonly #registry = new TurnRegistry()
  readonly #isShared: boolean
  readonly #signals: NodeSignals
  readonly #queue: TurnQueue
  readonly #followers: TurnFollowers
  readonly #starter: TurnStarter
  readonly #takeover: Takeover

  constructor(dependencies: CompletionDependencies) {
    this.#dependencies = dependencies
    const { database, clock, nodes, bus } = dependencies
    this.#isShared = dependencies.isShared ?? !database.capabilities.seesAllWrites
    this.#signals = new NodeSignals({ bus, clock, nodeId: nodes.nodeId, hasOthers: this.#isShared })
    const adopt = (turn: Pick<TurnRow, 'turn_id' | 'node_id'>): Promise<void> => this.#takeover.adopt(turn)
    const shared = { isShared: this.#isShared, signals: this.#signals, registry: this.#registry, adopt }
    const parts = { ...dependencies, ...shared }
    this.#queue = new TurnQueue(parts)
    this.#followers = new TurnFollowers(parts)
    this.#starter = new TurnStarter({
      ...parts,
      followers: this.#followers,
      queue: this.#queue,
      journal: this.#isShared ? new TurnJournal(parts) : null,
      writes: this.#isShared ? createRetryingWrites(database, clock) : createSingleAttemptWrites(database),
      abandoned: new AbandonedTurns(parts),
    })
    this.#takeover = new Takeover({ ...parts, starter: this.#starter })
    this.#signals.on('turnCanceled', (turnId) => this.#registry.get(turnId)?.cancel())
    this.#signals.on('chatCanceled', (chatId) => this.#cancelHere(chatId))
    if (this.#isShared) nodes.onDeath((nodeId) => this.#takeover.nodeDied(nodeId))
  }

  /** Turns that wait or run now. */
  get activeCount(): number {
    return this.#registry.count
  }

  /** Chats with a turn that waits or runs on this node. */
  activeChatIds(): string[] {
    return [...new Set(this.#registry.all().map((run) => run.chatId))]
  }

  /** Starts a turn, or attaches to the one that the same idempotency key started. */
  async complete(request: CompletionRequest): Promise<Turn> {
    const { database, makeId, background } = this.#dependencies
    const chat = await findChat(database.read, request.workspaceId, request.chatId)
    if (chat === null) throw notFound('chat', request.chatId)
    const hash = idempotencyHash(request)
    const earlier = hash === null ? null : await this.#findEarlier(request, hash)
    if (earlier !== null) return earlier
    const prepared = await prepareTurn(this.#dependencies, chat)
    // Two retries may have come this far together; from here on nothing waits until the turn is registered.
    const waiting = hash === null ? undefined : this.#registry.findByKey(hash)
    if (waiting !== undefined) return attach(waiting, request)
    const run = new TurnRun(makeId('turn'), chat.chat_id)
    this.#registry.add(run)
    if (hash !== null) this.#registry.addKey(hash, run, request.content)
    // With no turn before it, what was just read still holds.
    const known = this.#queue.isBusy(chat.chat_id) ? null : chat
    const start = { ...prepared, run, request, hash, known }
    background.run('turn', () => this.#queue.run(chat.chat_id, () => this.#starter.start(start)))
    return { log: run.log, outcome: run.outcome, replayed: false }
  }

  /** The events of a turn, running or past, wherever it runs. */
  async follow(workspaceId: number, chatId: string, turnId: string): Promise<TurnEvents> {
    const run = this.#registry.find(chatId, turnId)
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
    for (let poll = 0; ; poll += 1) {
      const run = this.#registry.get(turnId)
      if (run?.chatId === chatId) return await cancelRun(run)
      if (turn === null) throw notFound('turn', turnId)
      if (turn.status === 'cancelled') return 'cancelled'
      if (turn.status !== 'running' || !this.#followers.canRunElsewhere(turn)) throw turnNotRunning(turn.status)
      if (clock.now() >= untilMs) throw stopTimeout()
      if (poll % POLLS_PER_CANCEL === 0) this.#signals.emit('turnCanceled', turnId)
      await new Promise<void>((resolve) => clock.after(CANCEL_POLL_MS, resolve))
      turn = await findTurn(database.read, chatId, turnId)
    }
  }

  /** Stops every turn of a chat that waits or runs. */
  cancelAll(chatId: string): void {
    this.#cancelHere(chatId)
    this.#signals.emit('chatCanceled', chatId)
  }

  /** Stops every turn: the process has no more time. */
  interruptAll(): void {
    for (const run of this.#registry.all()) run.interrupt()
    this.#followers.closeAll()
  }

  /** Takes over turns of nodes that are gone, and deletes events that are not followed any more. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#dependencies
    if (!this.#isShared) return
    await this.#takeover.adoptOrphans()
    await sweepTurnEvents(database, clock.now(), signal)
  }

  #cancelHere(chatId: string): void {
    for (const run of this.#registry.ofChat(chatId)) run.cancel()
  }

  async #findEarlier(request: CompletionRequest, hash: string): Promise<Turn | null> {
    const waiting = this.#registry.findByKey(hash)
    if (waiting !== undefined) return attach(waiting, request)
    const { database } = this.#dependencies
    return await findEarlierTurn({ database, registry: this.#registry, followers: this.#followers }, request, hash)
  }

  /** A turn of a chat that the workspace has; without an id only the chat is looked for. */
  async #findTurn(workspaceId: number, chatId: string, turnId: string | null): Promise<TurnRow | null> {
    const { read } = this.#dependencies.database
    if ((await findChat(read, workspaceId, chatId)) === null) throw notFound('chat', chatId)
    return turnId === null ? null : await findTurn(read, chatId, turnId)
  }
}

async function cancelRun(run: TurnRun): Promise<TurnOutcome['status']> {
  run.cancel()
  const { status } = await run.outcome
  if (status !== 'cancelled') throw turnNotRunning(status)
  return status
}

function stopTimeout(): AppError {
  return new AppError('unavailable', 'The turn could not be stopped in time; try again.', { retryAfterMs: 1000 })
}
