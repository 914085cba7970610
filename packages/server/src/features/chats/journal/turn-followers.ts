import type { TurnStatus } from '@parley/contract/events'
import type { Clock } from '@parley/engine/ports'
import type { StreamFrame, StreamSink } from '../../../http/implement.ts'
import type { Background } from '../../../kernel/background.ts'
import type { Database } from '../../../kernel/database.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { Nodes } from '../../../kernel/nodes.ts'
import type { TurnRow } from '../../../kernel/tables/chat-tables.ts'
import { findTurn } from '../chat-store.ts'
import type { TurnSignals } from '../failover/node-signals.ts'
import { isOutage, PATIENCE_MS } from '../failover/patient-writes.ts'
import type { Turn, TurnOutcome } from '../turn/turn-run.ts'
import { readFrames } from './journal-store.ts'
import { storedOutcome, storedTurnLog } from './stored-turn.ts'
import { type TurnEvents, TurnLog } from './turn-log.ts'

/** Between two looks when no hint comes. */
const LOOK_MS = 250
/** So often the node that runs the turn is asked for hints, and looked after. */
const ROUND_MS = 1000
/** A turn that is over and whose last events are not on record for so many looks is told from its messages. */
const MOST_LOOKS_AT_END = 8

export interface TurnFollowerDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly background: Background
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive'>
  readonly signals: TurnSignals
  /** Whether there may be other nodes. */
  readonly isShared: boolean
  /** Sees to a turn whose node is dead. */
  readonly adopt: (turn: Pick<TurnRow, 'turn_id' | 'node_id'>) => Promise<void>
}

/** Turns of other nodes that somebody on this node listens to: each is read once, however many listen. */
export class TurnFollowers {
  readonly #dependencies: TurnFollowerDependencies
  readonly #followed = new Map<string, FollowedTurn>()

  constructor(dependencies: TurnFollowerDependencies) {
    this.#dependencies = dependencies
  }

  /** Whether a turn that is on record as running can be another node's: this one would know its own. */
  mayRunElsewhere(turn: Pick<TurnRow, 'node_id'>): boolean {
    return this.#dependencies.isShared && turn.node_id !== this.#dependencies.nodes.nodeId
  }

  /** A turn that another node runs, or that is over. */
  async open(turn: TurnRow): Promise<Turn> {
    const { read } = this.#dependencies.database
    const { isShared } = this.#dependencies
    if (turn.status === 'running' && isShared) return this.#follow(turn)
    const frames = isShared ? await readFrames(read, turn.turn_id) : []
    const outcome = storedOutcome(read, turn)
    // A stream has nobody who awaits it.
    outcome.catch(() => undefined)
    // Without its beginning the record was swept, or there never was one.
    if (frames[0]?.id !== 1) return { log: await storedTurnLog(read, turn), outcome, replayed: true }
    if (frames.at(-1)?.event !== 'done') return this.#follow(turn)
    const log = new TurnLog()
    log.feed(frames)
    log.close()
    return { log, outcome, replayed: true }
  }

  /** Sends all listeners away: they go on at another node. */
  closeAll(): void {
    for (const followed of this.#followed.values()) followed.stop()
  }

  #follow(turn: TurnRow): FollowedTurn {
    const known = this.#followed.get(turn.turn_id)
    if (known !== undefined) return known
    const followed = new FollowedTurn(this.#dependencies, turn, () => {
      if (this.#followed.get(turn.turn_id) === followed) this.#followed.delete(turn.turn_id)
    })
    this.#followed.set(turn.turn_id, followed)
    return followed
  }
}

/** One turn of another node: looked at while somebody listens. */
class FollowedTurn implements Turn {
  readonly replayed = true
  readonly log: TurnEvents
  readonly #dependencies: TurnFollowerDependencies
  readonly #turn: TurnRow
  readonly #forget: () => void
  readonly #log = new TurnLog()
  readonly #outcome = Promise.withResolvers<TurnOutcome>()
  #abort = new AbortController()
  #listeners = 0
  #isLooking = false
  #isOver = false

  constructor(dependencies: TurnFollowerDependencies, turn: TurnRow, forget: () => void) {
    this.#dependencies = dependencies
    this.#turn = turn
    this.#forget = forget
    this.#outcome.promise.catch(() => undefined)
    this.log = { read: (sink, lastEventId) => this.#read(sink, lastEventId) }
  }

  /** Who asks waits for it, whatever becomes of the other listeners. */
  get outcome(): Promise<TurnOutcome> {
    this.#listeners += 1
    this.#start()
    return this.#outcome.promise
  }

  /** Closes all listeners before the turn is over. */
  stop(): void {
    this.#end(new AppError('unavailable', 'Follow the turn at another node.', { retryAfterMs: 1000 }))
    this.#abort.abort()
  }

  #read(sink: StreamSink, lastEventId: number): () => void {
    const leave = this.#log.read(sink, lastEventId)
    this.#listeners += 1
    this.#start()
    let isHere = true
    return () => {
      leave()
      if (!isHere) return
      isHere = false
      this.#listeners -= 1
      if (this.#listeners === 0) this.#abort.abort()
    }
  }

  #start(): void {
    if (this.#isLooking || this.#isOver) return
    this.#isLooking = true
    this.#abort = new AbortController()
    this.#dependencies.background.run('follow turn', async () => {
      try {
        await this.#look()
      } catch (error) {
        this.#end(error)
        throw error
      } finally {
        this.#isLooking = false
        // Somebody came while the last one left.
        if (this.#listeners > 0 && !this.#isOver) this.#start()
        else this.#forget()
      }
    })
  }

  async #look(): Promise<void> {
    const { clock, signals } = this.#dependencies
    const { turn_id } = this.#turn
    const { signal } = this.#abort
    let lastSeenMs = clock.now()
    let nextRoundMs = lastSeenMs
    let looksAtEnd = 0
    while (!this.#isOver && !signal.aborted) {
      const isRound = clock.now() >= nextRoundMs
      if (isRound) {
        nextRoundMs = clock.now() + ROUND_MS
        signals.tell('turnFollowed', turn_id)
      }
      try {
        const turn = await this.#lookOnce(isRound)
        if (turn?.status === 'running' && isRound) await this.#lookAfter(turn)
        if (turn !== null && turn.status !== 'running') {
          await this.#complete(turn, looksAtEnd)
          looksAtEnd += 1
        }
        lastSeenMs = clock.now()
      } catch (error) {
        if (!isOutage(error) || clock.now() - lastSeenMs >= PATIENCE_MS) throw error
      }
      if (!this.#isOver) await signals.wait('turnEvents', turn_id, { longestMs: LOOK_MS, signal })
    }
  }

  /** Takes what is on record by now. Answers the turn when there was nothing new or it was asked for, and it is not over. */
  async #lookOnce(asksForTurn: boolean): Promise<TurnRow | null> {
    const { read } = this.#dependencies.database
    const { chat_id, turn_id } = this.#turn
    const frames = await readFrames(read, turn_id, this.#log.lastId)
    this.#log.feed(frames)
    // Its end was stored before it was told.
    const isOver = isDone(frames)
    if (frames.length > 0 && !isOver && !asksForTurn) return null
    const turn = await findTurn(read, chat_id, turn_id)
    if (turn === null) this.#endDeleted(isOver)
    else if (isOver) {
      this.#log.close()
      this.#settle(await storedOutcome(read, turn))
    } else return turn
    return null
  }

  async #lookAfter(turn: TurnRow): Promise<void> {
    const { nodes, adopt } = this.#dependencies
    if (turn.node_id === null || !(await nodes.isAlive(turn.node_id))) await adopt(turn)
  }

  /** The turn is over. Its last events come at once, unless its node died between storing and telling them. */
  async #complete(turn: TurnRow, looksAtEnd: number): Promise<void> {
    const { nodes, database } = this.#dependencies
    const mayCome = turn.node_id !== null && (await nodes.isAlive(turn.node_id))
    if (mayCome && looksAtEnd < MOST_LOOKS_AT_END) return
    this.#log.feed((await storedTurnLog(database.read, turn)).frames())
    // A turn that was given up did not count its events.
    const status = turn.status as TurnStatus
    if (!isDone(this.#log.frames())) this.#log.append({ event: 'done', data: { turn_id: turn.turn_id, status } })
    this.#log.close()
    this.#settle(await storedOutcome(database.read, turn))
  }

  #endDeleted(isTold: boolean): void {
    const { chat_id, turn_id } = this.#turn
    const error = notFound('chat', chat_id)
    if (!isTold) {
      this.#log.append({ event: 'error', data: { code: error.code, error: error.message } })
      this.#log.append({ event: 'done', data: { turn_id, status: 'failed' } })
    }
    this.#end(error)
  }

  #settle(outcome: TurnOutcome): void {
    this.#isOver = true
    this.#listeners = 0
    this.#outcome.resolve(outcome)
  }

  #end(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#listeners = 0
    this.#log.close()
    this.#outcome.reject(error)
  }
}

function isDone(frames: readonly StreamFrame[]): boolean {
  return frames.at(-1)?.event === 'done'
}
