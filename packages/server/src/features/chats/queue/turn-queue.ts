import type { Clock } from '@parley/engine/ports'
import { ConstraintError } from '../../../kernel/constraint-error.ts'
import type { Database } from '../../../kernel/database.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Nodes } from '../../../kernel/nodes.ts'
import type { TurnRow } from '../../../kernel/tables/chat-tables.ts'
import type { TurnSignals } from '../failover/node-signals.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import { leaveLine } from '../turn/turn-writes.ts'
import { type ChatLine, decideLineStep, type LineStep } from './decide-queue-step.ts'
import type { RunningTurns } from './turn-registry.ts'

/** Between two looks when no hint comes. */
const LOOK_MS = 250
/** Nodes are asked about, and hints asked for, every so many looks. */
const LOOKS_PER_ROUND = 4
/** As long as the longest turn. */
const LONGEST_WAIT_MS = 300_000

export interface TurnLineDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive'>
  readonly signals: TurnSignals
  readonly running: RunningTurns
  /** Sees to a turn whose node is dead. */
  readonly adopt: (turn: Pick<TurnRow, 'turn_id' | 'node_id'>) => Promise<void>
}

/** The line of a chat over all nodes. Each node sends the first of its own line into it; only who meets others takes a place. */
export class TurnLine {
  readonly #dependencies: TurnLineDependencies
  /** Chats of turns of this node that somebody waits for elsewhere. */
  readonly #awaited = new Set<string>()

  constructor(dependencies: TurnLineDependencies) {
    this.#dependencies = dependencies
    const { signals, running } = dependencies
    signals.on('chatAwaited', (chatId) => {
      if (running.ofChat(chatId).length > 0) this.#awaited.add(chatId)
    })
  }

  /**
   * Waits until it is the turn's turn to try to begin, or it is stopped; answers its place, `null` when the chat is gone.
   * Throws `unavailable` when that takes longer than any turn may.
   */
  async wait(run: TurnRun, knownPlace: number | null, untilMs: number): Promise<number | null> {
    const { clock, signals } = this.#dependencies
    const place = knownPlace ?? (await this.#takePlace(run))
    if (place === null) return null
    for (let look = 0; !run.isStopped; look += 1) {
      if (clock.now() >= untilMs) throw waitedTooLong()
      const isRound = look % LOOKS_PER_ROUND === 0
      if (isRound) signals.tell('chatAwaited', run.chatId)
      const line = await this.#readLine(run.chatId)
      if (line === null) return place
      const dead = isRound ? await this.#findDead(line) : NOBODY
      const step = decideLineStep(line, this.#knowledge(run, dead))
      if (step.type === 'begin') return place
      if (step.type !== 'wait') await this.#clear(run.chatId, step)
      else await signals.wait('chatFree', run.chatId, { longestMs: LOOK_MS, signal: run.signal })
    }
    return place
  }

  /** When a turn that begins to wait now gives up. */
  deadline(): number {
    return this.#dependencies.clock.now() + LONGEST_WAIT_MS
  }

  /** The turn waits no more and did not begin. */
  async leave(run: TurnRun): Promise<void> {
    const { database, signals } = this.#dependencies
    await database.batch([leaveLine(database, run.turnId)])
    signals.wake('chatFree', run.chatId)
    signals.tell('chatFree', run.chatId)
  }

  /** A turn of the chat is over. */
  moveOn(chatId: string): void {
    const { signals } = this.#dependencies
    signals.wake('chatFree', chatId)
    if (this.#awaited.delete(chatId)) signals.tell('chatFree', chatId)
  }

  async #takePlace(run: TurnRun): Promise<number | null> {
    const { database, nodes } = this.#dependencies
    const { turnId: turn_id, chatId: chat_id } = run
    try {
      return await database.transaction(async (transaction) => {
        const last = await transaction
          .selectFrom('waiting_turns')
          .select(({ fn }) => fn.max('place').as('place'))
          .where('chat_id', '=', chat_id)
          .executeTakeFirst()
        const place = Number(last?.place ?? 0) + 1
        await transaction
          .insertInto('waiting_turns')
          .values({ turn_id, chat_id, place, node_id: nodes.nodeId })
          .execute()
        return place
      })
    } catch (error) {
      if (error instanceof ConstraintError && error.kind === 'foreign-key') return null
      throw error
    }
  }

  async #readLine(chatId: string): Promise<ChatLine | null> {
    const { read } = this.#dependencies.database
    const chat = await read
      .selectFrom('chats')
      .leftJoin('turns', 'turns.turn_id', 'chats.active_turn_id')
      .select(['chats.status', 'chats.active_turn_id', 'turns.status as turn_status', 'turns.node_id'])
      .where('chats.chat_id', '=', chatId)
      .executeTakeFirst()
    // Whoever begins sees for himself that the chat is over.
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

  async #findDead({ active, waiting }: ChatLine): Promise<ReadonlySet<string>> {
    const { nodes } = this.#dependencies
    const involved = new Set([active?.nodeId ?? nodes.nodeId, ...waiting.map(({ node_id }) => node_id)])
    involved.delete(nodes.nodeId)
    const dead = new Set<string>()
    for (const nodeId of involved) if (!(await nodes.isAlive(nodeId))) dead.add(nodeId)
    return dead
  }

  #knowledge(run: TurnRun, dead: ReadonlySet<string>) {
    const { nodes, running } = this.#dependencies
    const isOurs = (turnId: string): boolean => running.get(turnId) !== undefined
    return { turnId: run.turnId, nodeId: nodes.nodeId, dead, isOurs }
  }

  async #clear(chatId: string, step: Exclude<LineStep, { type: 'begin' | 'wait' }>): Promise<void> {
    const { database, nodes, adopt } = this.#dependencies
    switch (step.type) {
      case 'free':
        return await freeChat(database, { chatId, turnId: step.turnId, nodeId: nodes.nodeId }, this.#dependencies.clock)
      case 'adopt':
        return await adopt({ turn_id: step.turnId, node_id: step.nodeId })
      case 'remove': {
        const rows = database.compile.deleteFrom('waiting_turns').where('turn_id', 'in', step.turnIds)
        return await database.batch([{ query: rows.compile() }])
      }
    }
  }
}

const NOBODY: ReadonlySet<string> = new Set()

/** Gives up a turn that this node does not run any more: its message can be answered by a retry, and the chat goes on. */
export async function freeChat(
  database: Database,
  { chatId, turnId, nodeId }: { chatId: string; turnId: string; nodeId: string },
  clock: Clock,
): Promise<void> {
  const turn = database.compile
    .updateTable('turns')
    .set({ status: 'interrupted', ended_at: clock.now() })
    .where('turn_id', '=', turnId)
    .where('node_id', '=', nodeId)
    .where('status', '=', 'running')
  const chat = database.compile
    .updateTable('chats')
    .set({ active_turn_id: null })
    .where('chat_id', '=', chatId)
    .where('active_turn_id', '=', turnId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('turns').select('turn_id').where('turn_id', '=', turnId).where('status', '=', 'running'))),
    )
  await database.batch([{ query: turn.compile() }, { query: chat.compile() }])
}

function waitedTooLong(): AppError {
  return new AppError('unavailable', 'The turns before this one take too long; send the message again.', {
    retryAfterMs: 5000,
  })
}
