import type { Clock } from '@parley/engine/ports'
import { AppError, ConstraintError } from '../../../kernel/errors.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { TurnRow, WaitingTurnRow } from '../../../tables/chat-tables.ts'
import { freeChat } from '../failover/abandoned-turns.ts'
import type { NodeSignals } from '../failover/node-signals.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import { leaveQueue } from '../turn/turn-writes.ts'
import type { TurnRegistry } from './turn-registry.ts'

/** Poll interval without hints. */
const POLL_MS = 250
/** Number of polls between checks of nodes and requests for hints. */
const POLLS_PER_CHECK = 4
/** Maximum wait, which equals the duration of the longest turn. */
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
 * Runs one turn per chat at a time, in order of arrival. Turns on one node wait in memory. The first of them takes a place in
 * the database only if another node has a turn of the chat.
 */
export class TurnQueue {
  readonly #dependencies: TurnQueueDependencies
  /** By chat: a promise that settles with the chat's last turn on this node. */
  readonly #tails = new Map<string, Promise<void>>()
  /** Chats with a turn on this node for which another node waits. */
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
    const before = this.#tails.get(chatId)
    const result = before === undefined ? work() : before.then(work)
    const tail = result.then(ignoreResult, ignoreResult)
    this.#tails.set(chatId, tail)
    try {
      return await result
    } finally {
      if (this.#tails.get(chatId) === tail) this.#tails.delete(chatId)
    }
  }

  /** Returns the time at which a turn that starts to wait now gives up. */
  getDeadline(): number {
    return this.#dependencies.clock.now() + MAX_WAIT_MS
  }

  /**
   * Waits until the turn can start, its chat is gone, or the turn is stopped. Throws `unavailable` after the duration of the
   * longest turn.
   */
  async wait(run: TurnRun, untilMs: number): Promise<void> {
    const { clock, signals } = this.#dependencies
    const isEnqueued = run.state.phase === 'queued' && run.state.place !== null
    if (!isEnqueued && !(await this.#enqueue(run))) return
    for (let poll = 0; run.stop === null; poll += 1) {
      if (clock.now() >= untilMs) throw createQueueTimeoutError()
      const isCheckDue = poll % POLLS_PER_CHECK === 0
      if (isCheckDue) signals.emit('chatAwaited', run.chatId)
      // The wait starts before the poll, so that a hint during the poll counts.
      const hint = signals.wait('chatFree', run.chatId, { maxWaitMs: POLL_MS, signal: run.signal })
      const queue = await this.#readQueue(run.chatId)
      if (queue === null) return
      const dead = isCheckDue ? await this.#findDead(queue) : NONE
      const step = decideQueueStep(queue, this.#context(run, dead))
      if (step.type === 'start') return
      if (step.type !== 'wait') await this.#clear(run.chatId, step)
      else await hint
    }
  }

  /** Removes a turn that stopped waiting without starting. */
  async leave(run: TurnRun): Promise<void> {
    const { database, signals } = this.#dependencies
    await database.batch([leaveQueue(database, run.turnId)])
    signals.wake('chatFree', run.chatId)
    signals.emit('chatFree', run.chatId)
  }

  turnEnded(chatId: string): void {
    const { signals } = this.#dependencies
    signals.wake('chatFree', chatId)
    if (this.#awaited.delete(chatId)) signals.emit('chatFree', chatId)
  }

  /** Takes a place in the queue for the turn. Returns false if the chat is gone. */
  async #enqueue(run: TurnRun): Promise<boolean> {
    const { database, nodes } = this.#dependencies
    const { turnId: turn_id, chatId: chat_id } = run
    try {
      const place = await database.transaction(async (transaction) => {
        const last = await transaction
          .selectFrom('waiting_turns')
          .select(({ fn }) => fn.max('place').as('place'))
          .where('chat_id', '=', chat_id)
          .executeTakeFirst()
        const next = Number(last?.place ?? 0) + 1
        const row = { turn_id, chat_id, place: next, node_id: nodes.nodeId }
        await transaction.insertInto('waiting_turns').values(row).execute()
        return next
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
    // The start itself rejects an ended chat.
    if (chat?.status !== 'ongoing') return null
    const waiting = await read
      .selectFrom('waiting_turns')
      .select(['turn_id', 'place', 'node_id'])
      .where('chat_id', '=', chatId)
      .orderBy('place')
      .execute()
    const { active_turn_id: turnId, turn_status, node_id: nodeId } = chat
    return { active: turnId === null ? null : { turnId, isRunning: turn_status === 'running', nodeId }, waiting }
  }

  async #findDead({ active, waiting }: ChatQueue): Promise<ReadonlySet<string>> {
    const { nodes } = this.#dependencies
    const otherNodes = new Set([active?.nodeId ?? nodes.nodeId, ...waiting.map(({ node_id }) => node_id)])
    otherNodes.delete(nodes.nodeId)
    const dead = new Set<string>()
    for (const nodeId of otherNodes) if (!(await nodes.isAlive(nodeId))) dead.add(nodeId)
    return dead
  }

  #context(run: TurnRun, dead: ReadonlySet<string>) {
    const { nodes, registry } = this.#dependencies
    const isLocal = (turnId: string): boolean => registry.get(turnId) !== undefined
    return { turnId: run.turnId, nodeId: nodes.nodeId, dead, isLocal }
  }

  async #clear(chatId: string, step: Exclude<QueueStep, { type: 'start' | 'wait' }>): Promise<void> {
    const { database, nodes, clock, adopt } = this.#dependencies
    switch (step.type) {
      case 'free':
        return await freeChat(database, { chatId, turnId: step.turnId, nodeId: nodes.nodeId, now: clock.now() })
      case 'adopt':
        return await adopt({ turn_id: step.turnId, node_id: step.nodeId })
      case 'remove': {
        const rows = database.compile.deleteFrom('waiting_turns').where('turn_id', 'in', step.turnIds)
        return await database.batch([{ query: rows.compile() }])
      }
    }
  }
}

const NONE: ReadonlySet<string> = new Set()

function ignoreResult(): void {}

function createQueueTimeoutError(): AppError {
  return new AppError('unavailable', 'The turns before this one take too long. Send the message again.', {
    retryAfterMs: 5000,
  })
}

/** A chat's turns in the database. */
export interface ChatQueue {
  /** The turn that holds the chat. `isRunning` is false if the turn has ended. */
  readonly active: { readonly turnId: string; readonly isRunning: boolean; readonly nodeId: string | null } | null
  readonly waiting: readonly Pick<WaitingTurnRow, 'turn_id' | 'place' | 'node_id'>[]
}

interface QueueContext {
  readonly turnId: string
  readonly nodeId: string
  /** Nodes that are certainly dead. */
  readonly dead: ReadonlySet<string>
  /** Whether a turn waits or runs on this node. */
  readonly isLocal: (turnId: string) => boolean
}

type QueueStep =
  | { readonly type: 'start' }
  | { readonly type: 'wait' }
  /** The turn that holds the chat ended or was given up, so the chat can be freed. */
  | { readonly type: 'free'; readonly turnId: string }
  /** The running turn's node died. */
  | { readonly type: 'adopt'; readonly turnId: string; readonly nodeId: string | null }
  /** The waiting turns' nodes are dead or no longer have the turns. */
  | { readonly type: 'remove'; readonly turnIds: readonly string[] }

/** Decides the next step of a waiting turn. */
export function decideQueueStep({ active, waiting }: ChatQueue, known: QueueContext): QueueStep {
  if (active !== null) {
    const { turnId, isRunning, nodeId } = active
    if (!isRunning || (nodeId === known.nodeId && !known.isLocal(turnId))) return { type: 'free', turnId }
    if (nodeId === null || known.dead.has(nodeId)) return { type: 'adopt', turnId, nodeId }
    return { type: 'wait' }
  }
  const ownEntry = waiting.find(({ turn_id }) => turn_id === known.turnId)
  const before = waiting.filter(
    ({ turn_id, place }) => turn_id !== known.turnId && place < (ownEntry?.place ?? Infinity),
  )
  const stale = before.filter(({ turn_id, node_id }) =>
    node_id === known.nodeId ? !known.isLocal(turn_id) : known.dead.has(node_id),
  )
  if (stale.length > 0) return { type: 'remove', turnIds: stale.map(({ turn_id }) => turn_id) }
  return before.length > 0 ? { type: 'wait' } : { type: 'start' }
}
