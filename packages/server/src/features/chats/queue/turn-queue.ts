import type { Clock } from '@parley/engine/ports'
import { AppError, ConstraintError } from '../../../kernel/errors.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { TurnRow, WaitingTurnRow } from '../../../tables/chat-tables.ts'
import { endAbandonedTurn } from '../failover/abandoned-turns.ts'
import type { NodeSignals } from '../failover/node-signals.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import { buildDequeueStatement } from '../turn/turn-writes.ts'
import type { TurnRegistry } from './turn-registry.ts'

/** Poll interval if no hint arrives. */
const POLL_MS = 250
/** Number of polls between liveness checks and requests for hints. */
const POLLS_PER_CHECK = 4
/** Maximum time in the queue, equal to the maximum duration of a turn. */
const MAX_WAIT_MS = 300_000

interface TurnQueueDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive'>
  readonly signals: NodeSignals
  readonly registry: TurnRegistry
  /** Takes over a dead node's turn. */
  readonly adopt: (turn: Pick<TurnRow, 'turn_id' | 'node_id'>) => Promise<void>
}

/**
 * Runs one turn per chat at a time, in order of arrival. Turns wait in memory. The first one joins the database queue
 * only if another node has a turn for the chat.
 */
export class TurnQueue {
  readonly #dependencies: TurnQueueDependencies
  /** Maps each chat to a promise that resolves after the chat's last turn on this node. */
  readonly #tails = new Map<string, Promise<void>>()
  /** Chats with a turn on this node that a turn on another node waits for. */
  readonly #awaited = new Set<string>()

  constructor(dependencies: TurnQueueDependencies) {
    this.#dependencies = dependencies
    const { signals, registry } = dependencies
    signals.on('chatAwaited', (chatId) => {
      if (registry.listChatRuns(chatId).length > 0) this.#awaited.add(chatId)
    })
  }

  /** Whether a turn of the chat waits or runs on this node. */
  isBusy(chatId: string): boolean {
    return this.#tails.has(chatId)
  }

  /** Runs `work` after all earlier work of the chat on this node. */
  async run<Result>(chatId: string, work: () => Promise<Result>): Promise<Result> {
    const previousWork = this.#tails.get(chatId)
    const result = previousWork === undefined ? work() : previousWork.then(work)
    const tail = result.then(ignoreResult, ignoreResult)
    this.#tails.set(chatId, tail)
    try {
      return await result
    } finally {
      if (this.#tails.get(chatId) === tail) this.#tails.delete(chatId)
    }
  }

  /** Returns the deadline of a turn that starts waiting now. */
  getDeadline(): number {
    return this.#dependencies.clock.now() + MAX_WAIT_MS
  }

  /** Waits until the turn can start or is stopped, or its chat ends. Throws `unavailable` at the deadline. */
  async wait(run: TurnRun, deadlineMs: number): Promise<void> {
    const { clock, signals } = this.#dependencies
    const isEnqueued = run.state.phase === 'queued' && run.state.place !== null
    if (!isEnqueued && !(await this.#enqueue(run))) return
    for (let poll = 0; run.stopReason === null; poll += 1) {
      if (clock.now() >= deadlineMs) throw createQueueTimeoutError()
      const isCheckDue = poll % POLLS_PER_CHECK === 0
      if (isCheckDue) signals.emit('chatAwaited', run.chatId)
      // Starts to wait before the poll so that a hint during the poll is not missed.
      const hint = signals.wait('chatFree', run.chatId, { maxWaitMs: POLL_MS, signal: run.signal })
      const queue = await this.#readQueue(run.chatId)
      if (queue === null) return
      const deadNodeIds = isCheckDue ? await this.#findDeadNodes(queue) : NO_NODES
      const step = decideQueueStep(queue, this.#createContext(run, deadNodeIds))
      if (step.type === 'start') return
      if (step.type !== 'wait') await this.#applyStep(run.chatId, step)
      else await hint
    }
  }

  /** Removes a turn that stopped waiting without starting. */
  async removeFromQueue(run: TurnRun): Promise<void> {
    const { database, signals } = this.#dependencies
    await database.batch([buildDequeueStatement(database, run.turnId)])
    signals.wake('chatFree', run.chatId)
    signals.emit('chatFree', run.chatId)
  }

  handleTurnEnd(chatId: string): void {
    const { signals } = this.#dependencies
    signals.wake('chatFree', chatId)
    if (this.#awaited.delete(chatId)) signals.emit('chatFree', chatId)
  }

  /** Adds the turn to the queue in the database. Returns false if the chat was deleted. */
  async #enqueue(run: TurnRun): Promise<boolean> {
    const { database, nodes } = this.#dependencies
    const { turnId: turn_id, chatId: chat_id } = run
    try {
      const place = await database.transaction(async (transaction) => {
        const lastPlace = await transaction
          .selectFrom('waiting_turns')
          .select(({ fn }) => fn.max('place').as('place'))
          .where('chat_id', '=', chat_id)
          .executeTakeFirst()
        const nextPlace = Number(lastPlace?.place ?? 0) + 1
        const row = { turn_id, chat_id, place: nextPlace, node_id: nodes.nodeId }
        await transaction.insertInto('waiting_turns').values(row).execute()
        return nextPlace
      })
      run.dispatch({ type: 'placed', place })
      return true
    } catch (error) {
      if (error instanceof ConstraintError && error.kind === 'foreign-key') return false
      throw error
    }
  }

  async #readQueue(chatId: string): Promise<ChatQueue | null> {
    const { read } = this.#dependencies.database
    const chat = await read
      .selectFrom('chats')
      .leftJoin('turns', 'turns.turn_id', 'chats.active_turn_id')
      .select(['chats.status', 'chats.active_turn_id', 'turns.status as turn_status', 'turns.node_id'])
      .where('chats.chat_id', '=', chatId)
      .executeTakeFirst()
    // The caller rejects an ended chat.
    if (chat?.status !== 'ongoing') return null
    const waitingTurns = await read
      .selectFrom('waiting_turns')
      .select(['turn_id', 'place', 'node_id'])
      .where('chat_id', '=', chatId)
      .orderBy('place')
      .execute()
    const { active_turn_id: turnId, turn_status, node_id: nodeId } = chat
    return {
      activeTurn: turnId === null ? null : { turnId, isRunning: turn_status === 'running', nodeId },
      waitingTurns,
    }
  }

  async #findDeadNodes({ activeTurn, waitingTurns }: ChatQueue): Promise<ReadonlySet<string>> {
    const { nodes } = this.#dependencies
    const otherNodes = new Set([activeTurn?.nodeId ?? nodes.nodeId, ...waitingTurns.map(({ node_id }) => node_id)])
    otherNodes.delete(nodes.nodeId)
    const deadNodeIds = new Set<string>()
    for (const nodeId of otherNodes) if (!(await nodes.isAlive(nodeId))) deadNodeIds.add(nodeId)
    return deadNodeIds
  }

  #createContext(run: TurnRun, deadNodeIds: ReadonlySet<string>) {
    const { nodes, registry } = this.#dependencies
    const isLocal = (turnId: string): boolean => registry.get(turnId) !== undefined
    return { turnId: run.turnId, nodeId: nodes.nodeId, deadNodeIds, isLocal }
  }

  async #applyStep(chatId: string, step: Exclude<QueueStep, { type: 'start' | 'wait' }>): Promise<void> {
    const { database, nodes, clock, adopt } = this.#dependencies
    switch (step.type) {
      case 'free':
        return await endAbandonedTurn(database, { chatId, turnId: step.turnId, nodeId: nodes.nodeId, now: clock.now() })
      case 'adopt':
        return await adopt({ turn_id: step.turnId, node_id: step.nodeId })
      case 'remove': {
        const deletion = database.queryBuilder.deleteFrom('waiting_turns').where('turn_id', 'in', step.turnIds)
        return await database.batch([{ query: deletion.compile() }])
      }
    }
  }
}

const NO_NODES: ReadonlySet<string> = new Set()

function ignoreResult(): void {}

function createQueueTimeoutError(): AppError {
  return new AppError('unavailable', 'The turns before this one take too long. Send the message again.', {
    retryAfterMs: 5000,
  })
}

/** A chat's turns in the database. */
export interface ChatQueue {
  /** The chat's active turn. `isRunning` is false if the turn has ended. */
  readonly activeTurn: { readonly turnId: string; readonly isRunning: boolean; readonly nodeId: string | null } | null
  readonly waitingTurns: readonly Pick<WaitingTurnRow, 'turn_id' | 'place' | 'node_id'>[]
}

interface QueueContext {
  readonly turnId: string
  readonly nodeId: string
  /** Ids of nodes that are known to be dead. */
  readonly deadNodeIds: ReadonlySet<string>
  /** Whether a turn waits or runs on this node. */
  readonly isLocal: (turnId: string) => boolean
}

type QueueStep =
  | { readonly type: 'start' }
  | { readonly type: 'wait' }
  /** The active turn has ended or was abandoned, so the chat can be freed. */
  | { readonly type: 'free'; readonly turnId: string }
  /** The running turn's node died. */
  | { readonly type: 'adopt'; readonly turnId: string; readonly nodeId: string | null }
  /** The waiting turns' nodes are dead or no longer have the turns. */
  | { readonly type: 'remove'; readonly turnIds: readonly string[] }

/** Decides the next step of a waiting turn. */
export function decideQueueStep({ activeTurn, waitingTurns }: ChatQueue, context: QueueContext): QueueStep {
  if (activeTurn !== null) {
    const { turnId, isRunning, nodeId } = activeTurn
    if (!isRunning || (nodeId === context.nodeId && !context.isLocal(turnId))) return { type: 'free', turnId }
    if (nodeId === null || context.deadNodeIds.has(nodeId)) return { type: 'adopt', turnId, nodeId }
    return { type: 'wait' }
  }
  const queueEntry = waitingTurns.find(({ turn_id }) => turn_id === context.turnId)
  const earlierTurns = waitingTurns.filter(
    ({ turn_id, place }) => turn_id !== context.turnId && place < (queueEntry?.place ?? Infinity),
  )
  const staleTurns = earlierTurns.filter(({ turn_id, node_id }) =>
    node_id === context.nodeId ? !context.isLocal(turn_id) : context.deadNodeIds.has(node_id),
  )
  if (staleTurns.length > 0) return { type: 'remove', turnIds: staleTurns.map(({ turn_id }) => turn_id) }
  return earlierTurns.length > 0 ? { type: 'wait' } : { type: 'start' }
}
