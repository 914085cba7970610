import type { TurnStatus } from '@parley/contract/events'
import type { Clock } from '@parley/engine/ports'
import type { StreamFrame, StreamSink } from '../../../kernel/api/implement.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Background } from '../../../kernel/work/background.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { TurnRow } from '../../../tables/chat-tables.ts'
import { findTurn } from '../chat-store.ts'
import type { NodeSignals } from '../failover/node-signals.ts'
import { isOutage, OUTAGE_TIMEOUT_MS } from '../failover/retrying-writes.ts'
import type { Turn, TurnOutcome } from '../turn/turn-state.ts'
import { buildStoredTurnLog, readFrames, readStoredOutcome } from './journal-store.ts'
import { type TurnEvents, TurnLog } from './turn-log.ts'

/** Poll interval if no hint arrives. */
const POLL_INTERVAL_MS = 250
/** Interval at which the follower asks the owning node for hints and checks whether it is alive. */
const CHECK_INTERVAL_MS = 1000
/** Number of polls to wait for an ended turn's last events before they are rebuilt from its messages. */
const MAX_POLLS_AFTER_END = 8

interface TurnFollowerDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly background: Background
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive'>
  readonly signals: NodeSignals
  /** Whether other nodes may exist. */
  readonly isShared: boolean
  /** Takes over a dead node's turn. */
  readonly adopt: (turn: Pick<TurnRow, 'turn_id' | 'node_id'>) => Promise<void>
}

/** Follows turns on other nodes for this node's clients. All followers of a turn share one poll loop. */
export class TurnFollowers {
  readonly #dependencies: TurnFollowerDependencies
  readonly #followed = new Map<string, FollowedTurn>()

  constructor(dependencies: TurnFollowerDependencies) {
    this.#dependencies = dependencies
  }

  /** Whether another node may be running the turn. */
  canRunElsewhere(turn: Pick<TurnRow, 'node_id'>): boolean {
    return this.#dependencies.isShared && turn.node_id !== this.#dependencies.nodes.nodeId
  }

  /** Opens a turn that runs on another node or has ended. */
  async open(turn: TurnRow): Promise<Turn> {
    const { read } = this.#dependencies.database
    const { isShared } = this.#dependencies
    if (turn.status === 'running' && isShared) return this.#follow(turn)
    const frames = isShared ? await readFrames(read, turn.turn_id) : []
    const outcome = readStoredOutcome(read, turn)
    // Streaming clients do not await the outcome.
    outcome.catch(() => undefined)
    // If the first event is missing, the recorded events were deleted or never existed.
    if (frames[0]?.id !== 1) return { log: await buildStoredTurnLog(read, turn), outcome, replayed: true }
    if (frames.at(-1)?.event !== 'done') return this.#follow(turn)
    const log = new TurnLog()
    log.appendFrames(frames)
    log.close()
    return { log, outcome, replayed: true }
  }

  /** Closes all streams. Clients reconnect to another node. */
  closeAll(): void {
    for (const followedTurn of this.#followed.values()) followedTurn.stop()
  }

  #follow(turn: TurnRow): FollowedTurn {
    const existing = this.#followed.get(turn.turn_id)
    if (existing !== undefined) return existing
    const followedTurn = new FollowedTurn(this.#dependencies, turn, () => {
      if (this.#followed.get(turn.turn_id) === followedTurn) this.#followed.delete(turn.turn_id)
    })
    this.#followed.set(turn.turn_id, followedTurn)
    return followedTurn
  }
}

/** A turn on another node, polled while it has followers. */
class FollowedTurn implements Turn {
  readonly replayed = true
  readonly log: TurnEvents
  readonly #dependencies: TurnFollowerDependencies
  readonly #turn: TurnRow
  readonly #onClosed: () => void
  readonly #log = new TurnLog()
  readonly #outcome = Promise.withResolvers<TurnOutcome>()
  #abort = new AbortController()
  #followers = 0
  #isPolling = false
  #isEnded = false

  constructor(dependencies: TurnFollowerDependencies, turn: TurnRow, onClosed: () => void) {
    this.#dependencies = dependencies
    this.#turn = turn
    this.#onClosed = onClosed
    this.#outcome.promise.catch(() => undefined)
    this.log = { read: (sink, lastEventId) => this.#read(sink, lastEventId) }
  }

  /** Outcome of the turn. Reading it keeps the polling active until the turn ends. */
  get outcome(): Promise<TurnOutcome> {
    this.#followers += 1
    this.#start()
    return this.#outcome.promise
  }

  /** Closes all streams although the turn has not ended. */
  stop(): void {
    this.#end(new AppError('unavailable', 'Follow the turn at another node.', { retryAfterMs: 1000 }))
    this.#abort.abort()
  }

  #read(sink: StreamSink, lastEventId: number): () => void {
    const stopReading = this.#log.read(sink, lastEventId)
    this.#followers += 1
    this.#start()
    let isFollowing = true
    return () => {
      stopReading()
      if (!isFollowing) return
      isFollowing = false
      this.#followers -= 1
      if (this.#followers === 0) this.#abort.abort()
    }
  }

  #start(): void {
    if (this.#isPolling || this.#isEnded) return
    this.#isPolling = true
    this.#abort = new AbortController()
    this.#dependencies.background.run('follow turn', async () => {
      try {
        await this.#poll()
      } catch (error) {
        this.#end(error)
        throw error
      } finally {
        this.#isPolling = false
        // A new follower may arrive while the last one leaves.
        if (this.#followers > 0 && !this.#isEnded) this.#start()
        else this.#onClosed()
      }
    })
  }

  async #poll(): Promise<void> {
    const { clock, signals } = this.#dependencies
    const { turn_id } = this.#turn
    const { signal } = this.#abort
    let lastSeenMs = clock.now()
    let nextCheckMs = lastSeenMs
    let pollsAfterEnd = 0
    while (!this.#isEnded && !signal.aborted) {
      const isCheckDue = clock.now() >= nextCheckMs
      if (isCheckDue) {
        nextCheckMs = clock.now() + CHECK_INTERVAL_MS
        signals.emit('turnFollowed', turn_id)
      }
      // Start waiting before the poll so that a hint that arrives during the poll is not missed.
      const hint = signals.wait('turnEvents', turn_id, { maxWaitMs: POLL_INTERVAL_MS, signal })
      try {
        const turn = await this.#pollOnce(isCheckDue)
        if (turn?.status === 'running' && isCheckDue) await this.#checkOwner(turn)
        if (turn !== null && turn.status !== 'running') {
          await this.#complete(turn, pollsAfterEnd)
          pollsAfterEnd += 1
        }
        lastSeenMs = clock.now()
      } catch (error) {
        if (!isOutage(error) || clock.now() - lastSeenMs >= OUTAGE_TIMEOUT_MS) throw error
      }
      if (!this.#isEnded) await hint
    }
  }

  /** Reads new events. Returns the turn unless the stream ended, or new events arrived and `alwaysReadTurn` is false. */
  async #pollOnce(alwaysReadTurn: boolean): Promise<TurnRow | null> {
    const { read } = this.#dependencies.database
    const { chat_id, turn_id } = this.#turn
    const frames = await readFrames(read, turn_id, this.#log.lastId)
    this.#log.appendFrames(frames)
    // The end is stored before it is published.
    const isEnded = isDone(frames)
    if (frames.length > 0 && !isEnded && !alwaysReadTurn) return null
    const turn = await findTurn(read, chat_id, turn_id)
    if (turn === null) this.#endForDeletedChat(isEnded)
    else if (isEnded) {
      this.#log.close()
      this.#finish(await readStoredOutcome(read, turn))
    } else return turn
    return null
  }

  async #checkOwner(turn: TurnRow): Promise<void> {
    const { nodes, adopt } = this.#dependencies
    if (turn.node_id === null || !(await nodes.isAlive(turn.node_id))) await adopt(turn)
  }

  /** Completes the log of an ended turn. While the turn's node is alive, first waits for the last events. */
  async #complete(turn: TurnRow, pollsAfterEnd: number): Promise<void> {
    const { nodes, database } = this.#dependencies
    const isNodeAlive = turn.node_id !== null && (await nodes.isAlive(turn.node_id))
    if (isNodeAlive && pollsAfterEnd < MAX_POLLS_AFTER_END) return
    this.#log.appendFrames((await buildStoredTurnLog(database.read, turn)).getFrames())
    // An abandoned turn has no event count, so its `done` event may be missing.
    const status = turn.status as TurnStatus
    if (!isDone(this.#log.getFrames())) this.#log.append({ event: 'done', data: { turn_id: turn.turn_id, status } })
    this.#log.close()
    this.#finish(await readStoredOutcome(database.read, turn))
  }

  #endForDeletedChat(isPublished: boolean): void {
    const { chat_id, turn_id } = this.#turn
    const error = notFound('chat', chat_id)
    if (!isPublished) {
      this.#log.append({ event: 'error', data: { code: error.code, error: error.message } })
      this.#log.append({ event: 'done', data: { turn_id, status: 'failed' } })
    }
    this.#end(error)
  }

  #finish(outcome: TurnOutcome): void {
    this.#isEnded = true
    this.#followers = 0
    this.#outcome.resolve(outcome)
  }

  #end(error: unknown): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#followers = 0
    this.#log.close()
    this.#outcome.reject(error)
  }
}

function isDone(frames: readonly StreamFrame[]): boolean {
  return frames.at(-1)?.event === 'done'
}
