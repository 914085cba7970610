import type { BatchStatement, Database } from '../../kernel/storage/database.ts'
import type { Logger } from '../../kernel/work/background.ts'
import type { Nodes } from '../../kernel/work/nodes.ts'
import type { NodeRow } from '../../tables/work-tables.ts'
import type { MeasuredClock } from './measured-clock.ts'

/**
 * From a node's end until others have freed what it held: its last beat may have been written just before (0 s), it lapses
 * (8 s), each of the others looks once a beat (2 s) and claims what it can (about 1 s): 11 s of the 15 s that are promised.
 */
const HEARTBEAT_INTERVAL_MS = 2_000
const NODE_TIMEOUT_MS = 8_000
/** A beat that takes longer has failed: time for another one is left before the lapse. */
const HEARTBEAT_TIMEOUT_MS = 3_000
/** With more than this between two good beats one was missed. Others that missed theirs have beaten again within the lapse. */
const MAX_HEARTBEAT_GAP_MS = 4_000
const MAX_SKEW_MS = 2_000
/** Deaths handled at a time; further ones wait for the next beat. */
const MAX_CONCURRENT_TAKEOVERS = 8
const STOP_TIMEOUT_MS = 2_000

type DeathListener = (nodeId: string) => Promise<void>

export interface NodeRegistryOptions {
  readonly nodeId: string
  readonly database: Pick<Database, 'read' | 'compile' | 'batch'>
  /** Measured at every beat. */
  readonly clock: MeasuredClock
  readonly logger: Pick<Logger, 'warn'>
  readonly logError: (name: string, error: unknown) => void
}

/** This node among several: it gives signs of life and notices when another one no longer does. */
export interface NodeRegistry extends Nodes {
  /** Registers this node and goes on beating; resolves after the first beat, also when that failed. */
  start(): Promise<void>
  /** Why this node should get no work now; null when all is well. */
  status(): string | null
  /** Gives no more signs of life and removes itself. Call it when nothing is held any more: nobody takes anything over. */
  stop(): Promise<void>
}

/** One clock for all nodes is what makes times of different nodes comparable: `clock` is to be that of the database. */
export function createNodeRegistry(options: NodeRegistryOptions): NodeRegistry {
  return new HeartbeatNode(options)
}

class HeartbeatNode implements NodeRegistry {
  readonly nodeId: string
  readonly #options: NodeRegistryOptions
  readonly #listeners: DeathListener[] = []
  readonly #takeovers = new Map<string, Promise<void>>()
  #seen: ReadonlyMap<string, number> = new Map()
  #startedAt: number | null = null
  #heartbeatAt: number | null = null
  /** Since then no beat was missed. */
  #steadySince = 0
  #pendingHeartbeat: Promise<void> = Promise.resolve()
  #cancelHeartbeat: () => void = () => undefined
  #stopping = false
  #isSkewReported = false

  constructor(options: NodeRegistryOptions) {
    this.nodeId = options.nodeId
    this.#options = options
  }

  start(): Promise<void> {
    this.#run()
    return this.#pendingHeartbeat
  }

  onDeath(listener: DeathListener): void {
    this.#listeners.push(listener)
  }

  async isAlive(nodeId: string): Promise<boolean> {
    if (nodeId === this.nodeId) return true
    const now = this.#options.clock.now()
    const known = this.#seen.get(nodeId)
    if (known !== undefined && !this.#isSilent(known, now)) return true
    // It may have come or beaten since this node looked.
    const seenAt = await findSeenAt(this.#options.database, nodeId)
    return seenAt !== null && !this.#isDead(seenAt, now)
  }

  status(): string | null {
    const { clock } = this.#options
    if (this.#heartbeatAt === null) return 'not registered as a node yet'
    if (this.#isSilent(this.#heartbeatAt, clock.now())) return 'could not tell the other nodes that it is alive'
    if (Math.abs(clock.skewMs) > MAX_SKEW_MS)
      return `the clock differs from the database's by ${Math.round(clock.skewMs)} ms`
    return null
  }

  async stop(): Promise<void> {
    const { clock, database, logError } = this.#options
    this.#stopping = true
    this.#cancelHeartbeat()
    const late = Promise.withResolvers<void>()
    const cancel = clock.after(STOP_TIMEOUT_MS, late.resolve)
    await Promise.race([Promise.all([this.#pendingHeartbeat, ...this.#takeovers.values()]), late.promise])
    cancel()
    try {
      await database.batch([deleteNode(database, this.nodeId)])
    } catch (error) {
      logError('remove this node from the others', error)
    }
  }

  /** Beats now and again at a steady pace, however long a beat takes. */
  #run(): void {
    const { clock, logError } = this.#options
    const beatStartedAt = clock.now()
    const late = Promise.withResolvers<never>()
    const cancel = clock.after(HEARTBEAT_TIMEOUT_MS, () =>
      late.reject(new Error(`A beat took over ${HEARTBEAT_TIMEOUT_MS} ms.`)),
    )
    this.#pendingHeartbeat = Promise.race([this.#heartbeat(), late.promise])
      .catch((error: unknown) => logError('tell the other nodes that this one is alive', error))
      .finally(() => {
        cancel()
        const remainingMs = HEARTBEAT_INTERVAL_MS - Math.max(0, clock.now() - beatStartedAt)
        if (!this.#stopping) this.#cancelHeartbeat = clock.after(Math.max(0, remainingMs), () => this.#run())
      })
  }

  async #heartbeat(): Promise<void> {
    const { clock, database } = this.#options
    await clock.measure()
    this.#reportSkew()
    // Others are held against the time before they were read: a pause of this process must not make them look silent.
    const now = clock.now()
    this.#startedAt ??= now
    const row = { node_id: this.nodeId, started_at: this.#startedAt, seen_at: now }
    await database.batch([writeHeartbeat(database, row)], { durable: false })
    const rows = await readNodes(database)
    if (this.#heartbeatAt === null || Math.abs(now - this.#heartbeatAt) > MAX_HEARTBEAT_GAP_MS) this.#steadySince = now
    this.#heartbeatAt = now
    this.#seen = new Map(rows.map(({ node_id, seen_at }) => [node_id, seen_at]))
    for (const other of rows)
      if (other.node_id !== this.nodeId && this.#isDead(other.seen_at, now)) this.#startTakeover(other)
  }

  #isSilent(seenAt: number, now: number): boolean {
    return seenAt <= now - NODE_TIMEOUT_MS
  }

  /**
   * A silent node is dead, unless this one has not been steady for as long itself: after an outage of the database everybody
   * looks silent, and whoever returns first must not bury the others. Nor can it tell while it misses beats itself.
   */
  #isDead(seenAt: number, now: number): boolean {
    const missedHeartbeats = this.#heartbeatAt !== null && Math.abs(now - this.#heartbeatAt) > MAX_HEARTBEAT_GAP_MS
    return !missedHeartbeats && this.#isSilent(seenAt, now) && this.#isSilent(this.#steadySince, now)
  }

  /** Beside the beats, which it must not delay. */
  #startTakeover({ node_id: nodeId, seen_at: seenAt }: NodeRow): void {
    if (this.#stopping || this.#takeovers.has(nodeId) || this.#takeovers.size >= MAX_CONCURRENT_TAKEOVERS) return
    const takeover = this.#handOver(nodeId, seenAt)
      .catch((error: unknown) => this.#options.logError(`take over from node ${nodeId}`, error))
      .finally(() => this.#takeovers.delete(nodeId))
    this.#takeovers.set(nodeId, takeover)
  }

  async #handOver(nodeId: string, seenAt: number): Promise<void> {
    const { database, logger, logError } = this.#options
    const results = await Promise.allSettled(this.#listeners.map(async (listener) => listener(nodeId)))
    const failures = results.filter(({ status }) => status === 'rejected')
    for (const failure of failures) logError(`take over from node ${nodeId}`, (failure as PromiseRejectedResult).reason)
    if (failures.length > 0) return
    // Not where it has beaten again meanwhile.
    await database.batch([deleteNode(database, nodeId, seenAt)])
    logger.warn({ nodeId }, 'a node died; what it held is free')
  }

  #reportSkew(): void {
    const { clock, logger } = this.#options
    const isSkewed = Math.abs(clock.skewMs) > MAX_SKEW_MS
    if (isSkewed && !this.#isSkewReported) {
      logger.warn({ aheadMs: Math.round(clock.skewMs) }, "this machine's clock differs from the database's")
    }
    this.#isSkewReported = isSkewed
  }
}

/** Nodes looked at in one beat. Dead ones are forgotten, so that only the living count. */
const MAX_NODES = 1_000

/** The nodes on record, those that were silent for longest first. */
async function readNodes({ read }: Pick<Database, 'read'>): Promise<NodeRow[]> {
  return await read.selectFrom('nodes').selectAll().orderBy('seen_at').limit(MAX_NODES).execute()
}

/** When a node was last seen; null when there is none on record. */
async function findSeenAt({ read }: Pick<Database, 'read'>, nodeId: string): Promise<number | null> {
  const row = await read.selectFrom('nodes').select('seen_at').where('node_id', '=', nodeId).executeTakeFirst()
  return row?.seen_at ?? null
}

/** A sign of life; writes the row anew where others have removed it. */
function writeHeartbeat({ compile }: Pick<Database, 'compile'>, row: NodeRow): BatchStatement {
  const query = compile
    .insertInto('nodes')
    .values(row)
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ seen_at: row.seen_at }))
    .compile()
  return { query }
}

/** Forgets a node; with `seenAt` only if nothing was heard of it since. */
function deleteNode({ compile }: Pick<Database, 'compile'>, nodeId: string, seenAt?: number): BatchStatement {
  const row = compile.deleteFrom('nodes').where('node_id', '=', nodeId)
  return { query: (seenAt === undefined ? row : row.where('seen_at', '=', seenAt)).compile() }
}
