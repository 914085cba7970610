import { AppError, notFound } from '../../kernel/errors.ts'
import type { Background } from '../../kernel/work/background.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import type { Nodes } from '../../kernel/work/nodes.ts'
import type { TurnRow } from '../../tables/chat-tables.ts'
import { findChat, findTurn } from './chat-store.ts'
import { AbandonedTurns } from './failover/abandoned-turns.ts'
import { NodeSignals } from './failover/node-signals.ts'
import { createRetryingWriter, createSingleAttemptWriter } from './failover/retrying-writes.ts'
import { Takeover } from './failover/takeover.ts'
import { sweepTurnEvents } from './journal/journal-store.ts'
import { TurnFollowers } from './journal/turn-followers.ts'
import { TurnJournal } from './journal/turn-journal.ts'
import type { TurnEvents } from './journal/turn-log.ts'
import { TurnQueue } from './queue/turn-queue.ts'
import {
  attachToRun,
  findEarlierTurn,
  hashIdempotencyKey,
  type KeyedRequest,
  TurnRegistry,
} from './queue/turn-registry.ts'
import { TurnStarter, type TurnStarterDependencies } from './turn/start-turn.ts'
import { createTurnNotRunningError, type PrepareTurnDependencies, prepareTurn } from './turn/turn-context.ts'
import type { TurnPerformerDependencies } from './turn/turn-performer.ts'
import { TurnRun } from './turn/turn-run.ts'
import type { Turn, TurnOutcome } from './turn/turn-state.ts'

/** Poll interval while another node cancels a turn. */
const CANCEL_POLL_MS = 250
/** Number of polls between cancel requests to the other node. */
const POLLS_PER_CANCEL = 2
const CANCEL_DEADLINE_MS = 10_000

interface CompletionRequest extends KeyedRequest {
  readonly workspaceId: number
}

export interface CompletionDependencies
  extends Omit<TurnPerformerDependencies, 'writer' | 'journal'>,
    PrepareTurnDependencies {
  readonly background: Background
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive' | 'onNodeCrash'>
  readonly bus: Bus
  readonly onTurnEnd: TurnStarterDependencies['onTurnEnd']
  /** Whether other nodes may run turns on the same database. Defaults to the database's capabilities. */
  readonly isShared?: boolean
}

/** Answers chat messages. Each chat runs one turn at a time across all nodes, in order of arrival. */
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
    this.#signals = new NodeSignals({ bus, clock, nodeId: nodes.nodeId, hasPeers: this.#isShared })
    const adopt = (turn: Pick<TurnRow, 'turn_id' | 'node_id'>): Promise<void> => this.#takeover.adopt(turn)
    const sharedDependencies = { isShared: this.#isShared, signals: this.#signals, registry: this.#registry, adopt }
    const componentDependencies = { ...dependencies, ...sharedDependencies }
    this.#queue = new TurnQueue(componentDependencies)
    this.#followers = new TurnFollowers(componentDependencies)
    this.#starter = new TurnStarter({
      ...componentDependencies,
      followers: this.#followers,
      queue: this.#queue,
      journal: this.#isShared ? new TurnJournal(componentDependencies) : null,
      writer: this.#isShared ? createRetryingWriter(database, clock) : createSingleAttemptWriter(database),
      abandonedTurns: new AbandonedTurns(componentDependencies),
    })
    this.#takeover = new Takeover({ ...componentDependencies, starter: this.#starter })
    this.#signals.on('turnCanceled', (turnId) => this.#registry.get(turnId)?.cancel())
    this.#signals.on('chatCanceled', (chatId) => this.#cancelLocally(chatId))
    if (this.#isShared) nodes.onNodeCrash((nodeId) => this.#takeover.takeOverTurns(nodeId))
  }

  /** Number of waiting and running turns. */
  get activeCount(): number {
    return this.#registry.count
  }

  /** Returns the chats with a waiting or running turn on this node. */
  listActiveChatIds(): string[] {
    return [...new Set(this.#registry.listRuns().map((run) => run.chatId))]
  }

  /** Starts a turn, or attaches to the turn that an earlier request with the same idempotency key started. */
  async complete(request: CompletionRequest): Promise<Turn> {
    const { database, makeId, background } = this.#dependencies
    const chat = await findChat(database.read, request.workspaceId, request.chatId)
    if (chat === null) throw notFound('chat', request.chatId)
    const idempotencyHash = hashIdempotencyKey(request)
    const earlierTurn = idempotencyHash === null ? null : await this.#findEarlierTurn(request, idempotencyHash)
    if (earlierTurn !== null) return earlierTurn
    const preparedTurn = await prepareTurn(this.#dependencies, chat)
    // A concurrent retry may have registered its run by now. Do not await between this check and the registration.
    const existingRun = idempotencyHash === null ? undefined : this.#registry.findByKey(idempotencyHash)
    if (existingRun !== undefined) return attachToRun(existingRun, request)
    const run = new TurnRun(makeId('turn'), chat.chat_id)
    this.#registry.add(run)
    if (idempotencyHash !== null) this.#registry.addKey(idempotencyHash, run, request.content)
    // If the chat has no queued or running turn, the row is still current.
    const currentChat = this.#queue.isBusy(chat.chat_id) ? null : chat
    const turnStart = { ...preparedTurn, run, request, idempotencyHash, currentChat }
    background.run('turn', () => this.#queue.run(chat.chat_id, () => this.#starter.start(turnStart)))
    return { log: run.log, outcome: run.outcome, replayed: false }
  }

  /** Streams the events of a running or past turn from any node. */
  async follow(workspaceId: number, chatId: string, turnId: string): Promise<TurnEvents> {
    const run = this.#registry.find(chatId, turnId)
    const turn = await this.#findTurn(workspaceId, chatId, run === null ? turnId : null)
    if (run !== null) return run.log
    if (turn === null) throw notFound('turn', turnId)
    return (await this.#followers.open(turn)).log
  }

  /** Stops a waiting or running turn and waits until its partial answer is stored. */
  async cancel(workspaceId: number, chatId: string, turnId: string): Promise<TurnOutcome['status']> {
    const { clock, database } = this.#dependencies
    const deadlineMs = clock.now() + CANCEL_DEADLINE_MS
    let turn = await this.#findTurn(workspaceId, chatId, turnId)
    for (let poll = 0; ; poll += 1) {
      const run = this.#registry.get(turnId)
      if (run?.chatId === chatId) return await cancelRun(run)
      if (turn === null) throw notFound('turn', turnId)
      if (turn.status === 'cancelled') return 'cancelled'
      if (turn.status !== 'running' || !this.#followers.canRunElsewhere(turn))
        throw createTurnNotRunningError(turn.status)
      if (clock.now() >= deadlineMs) throw createCancelTimeoutError()
      if (poll % POLLS_PER_CANCEL === 0) this.#signals.emit('turnCanceled', turnId)
      await new Promise<void>((resolve) => clock.after(CANCEL_POLL_MS, resolve))
      turn = await findTurn(database.read, chatId, turnId)
    }
  }

  /** Stops every waiting or running turn of a chat. */
  cancelAll(chatId: string): void {
    this.#cancelLocally(chatId)
    this.#signals.emit('chatCanceled', chatId)
  }

  /** Interrupts every turn on shutdown. */
  interruptAll(): void {
    for (const run of this.#registry.listRuns()) run.interrupt()
    this.#followers.closeAll()
  }

  /** Takes over turns from dead nodes and deletes old events of ended turns. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#dependencies
    if (!this.#isShared) return
    await this.#takeover.adoptOrphans()
    await sweepTurnEvents(database, clock.now(), signal)
  }

  #cancelLocally(chatId: string): void {
    for (const run of this.#registry.listChatRuns(chatId)) run.cancel()
  }

  async #findEarlierTurn(request: CompletionRequest, idempotencyHash: string): Promise<Turn | null> {
    const existingRun = this.#registry.findByKey(idempotencyHash)
    if (existingRun !== undefined) return attachToRun(existingRun, request)
    const { database } = this.#dependencies
    return await findEarlierTurn(
      { database, registry: this.#registry, followers: this.#followers },
      request,
      idempotencyHash,
    )
  }

  /** Finds a turn of a workspace's chat. If `turnId` is null, only checks that the chat exists. */
  async #findTurn(workspaceId: number, chatId: string, turnId: string | null): Promise<TurnRow | null> {
    const { read } = this.#dependencies.database
    if ((await findChat(read, workspaceId, chatId)) === null) throw notFound('chat', chatId)
    return turnId === null ? null : await findTurn(read, chatId, turnId)
  }
}

async function cancelRun(run: TurnRun): Promise<TurnOutcome['status']> {
  run.cancel()
  const { status } = await run.outcome
  if (status !== 'cancelled') throw createTurnNotRunningError(status)
  return status
}

function createCancelTimeoutError(): AppError {
  return new AppError('unavailable', 'The turn could not be stopped in time. Try again.', { retryAfterMs: 1000 })
}
