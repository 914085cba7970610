import type { Clock } from '@parley/engine/ports'
import type { BatchStatement, Database } from '../../kernel/storage/database.ts'
import type { Logger } from '../../kernel/work/background.ts'
import type { Nodes } from '../../kernel/work/nodes.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import type { NodeRow } from '../../tables/work-tables.ts'

/**
 * The resources of a crashed node are freed within the promised 15 s: its last heartbeat times out (8 s), other nodes check
 * once per heartbeat (2 s) and take over (about 1 s).
 */
const HEARTBEAT_INTERVAL_MS = 2_000
const NODE_TIMEOUT_MS = 8_000
/** A slower heartbeat counts as failed, which leaves time for another heartbeat before the timeout. */
const HEARTBEAT_TIMEOUT_MS = 3_000
/** A longer gap between two heartbeats means that a heartbeat was missed. */
const MAX_HEARTBEAT_GAP_MS = 4_000
const MAX_SKEW_MS = 2_000
/** Maximum number of concurrent takeovers. Further takeovers wait for the next heartbeat. */
const MAX_CONCURRENT_TAKEOVERS = 8
const STOP_TIMEOUT_MS = 2_000

type CrashListener = (nodeId: string) => Promise<void>

export interface NodeRegistryOptions {
  readonly nodeId: string
  readonly database: Pick<Database, 'read' | 'queryBuilder' | 'batch'>
  /** Clock that is measured at every heartbeat. */
  readonly clock: MeasuredClock
  readonly logger: Pick<Logger, 'warn'>
  readonly logError: (name: string, error: unknown) => void
}

/** This node among several nodes. Sends heartbeats and detects nodes that have stopped sending them. */
export interface NodeRegistry extends Nodes {
  /** Registers this node and starts its heartbeats. Resolves after the first heartbeat, even if it failed. */
  start(): Promise<void>
  /** Returns the reason why this node must not receive work now, or null if the node is healthy. */
  getFault(): string | null
  /**
   * Stops the heartbeats and unregisters the node. Must be called after all work was released, because no other node takes it over.
   */
  stop(): Promise<void>
}

/** Creates the node registry. `clock` must follow the database clock, so that times of different nodes are comparable. */
export function createNodeRegistry(options: NodeRegistryOptions): NodeRegistry {
  return new HeartbeatNode(options)
}

class HeartbeatNode implements NodeRegistry {
  readonly nodeId: string
  readonly #options: NodeRegistryOptions
  readonly #listeners: CrashListener[] = []
  readonly #takeovers = new Map<string, Promise<void>>()
  #lastSeenTimes: ReadonlyMap<string, number> = new Map()
  #startedAt: number | null = null
  #heartbeatAt: number | null = null
  /** Time since which no heartbeat was missed. */
  #uninterruptedSince = 0
  #pendingHeartbeat: Promise<void> = Promise.resolve()
  #cancelHeartbeat: () => void = () => undefined
  #isStopping = false
  #isSkewReported = false

  constructor(options: NodeRegistryOptions) {
    this.nodeId = options.nodeId
    this.#options = options
  }

  start(): Promise<void> {
    this.#startHeartbeat()
    return this.#pendingHeartbeat
  }

  onNodeCrash(listener: CrashListener): void {
    this.#listeners.push(listener)
  }

  async isAlive(nodeId: string): Promise<boolean> {
    if (nodeId === this.nodeId) return true
    const now = this.#options.clock.now()
    const lastSeenAt = this.#lastSeenTimes.get(nodeId)
    if (lastSeenAt !== undefined && !this.#isSilent(lastSeenAt, now)) return true
    // The node may have started or sent a heartbeat since the last read.
    const seenAt = await findSeenAt(this.#options.database, nodeId)
    return seenAt !== null && !this.#isDead(seenAt, now)
  }

  getFault(): string | null {
    const { clock } = this.#options
    if (this.#heartbeatAt === null) return 'not registered as a node yet'
    if (this.#isSilent(this.#heartbeatAt, clock.now())) return 'could not send its heartbeat to the other nodes'
    if (Math.abs(clock.skewMs) > MAX_SKEW_MS)
      return `the clock differs from the database's by ${Math.round(clock.skewMs)} ms`
    return null
  }

  async stop(): Promise<void> {
    const { clock, database, logError } = this.#options
    this.#isStopping = true
    this.#cancelHeartbeat()
    const timeout = Promise.withResolvers<void>()
    const cancel = clock.after(STOP_TIMEOUT_MS, timeout.resolve)
    await Promise.race([Promise.all([this.#pendingHeartbeat, ...this.#takeovers.values()]), timeout.promise])
    cancel()
    try {
      await database.batch([buildDeleteStatement(database, this.nodeId)])
    } catch (error) {
      logError('unregister this node', error)
    }
  }

  /** Sends heartbeats at a fixed interval, regardless of how long each heartbeat takes. */
  #startHeartbeat(): void {
    const { clock, logError } = this.#options
    const startedAt = clock.now()
    const timeout = Promise.withResolvers<never>()
    const cancel = clock.after(HEARTBEAT_TIMEOUT_MS, () =>
      timeout.reject(new Error(`A heartbeat took over ${HEARTBEAT_TIMEOUT_MS} ms.`)),
    )
    this.#pendingHeartbeat = Promise.race([this.#sendHeartbeat(), timeout.promise])
      .catch((error: unknown) => logError('send the heartbeat of this node', error))
      .finally(() => {
        cancel()
        const remainingMs = HEARTBEAT_INTERVAL_MS - Math.max(0, clock.now() - startedAt)
        if (!this.#isStopping)
          this.#cancelHeartbeat = clock.after(Math.max(0, remainingMs), () => this.#startHeartbeat())
      })
  }

  async #sendHeartbeat(): Promise<void> {
    const { clock, database } = this.#options
    await clock.measure()
    this.#reportSkew()
    // Read before the other nodes, so that a pause of this process does not make them look silent.
    const now = clock.now()
    this.#startedAt ??= now
    const row = { node_id: this.nodeId, started_at: this.#startedAt, seen_at: now }
    await database.batch([buildHeartbeatStatement(database, row)], { durable: false })
    const rows = await readNodes(database)
    if (this.#heartbeatAt === null || Math.abs(now - this.#heartbeatAt) > MAX_HEARTBEAT_GAP_MS)
      this.#uninterruptedSince = now
    this.#heartbeatAt = now
    this.#lastSeenTimes = new Map(rows.map(({ node_id, seen_at }) => [node_id, seen_at]))
    for (const node of rows)
      if (node.node_id !== this.nodeId && this.#isDead(node.seen_at, now)) this.#startTakeover(node)
  }

  #isSilent(seenAt: number, now: number): boolean {
    return seenAt <= now - NODE_TIMEOUT_MS
  }

  /**
   * Whether a silent node has crashed. Returns false if this node missed heartbeats in the same period, because every node
   * looks silent after a database outage.
   */
  #isDead(seenAt: number, now: number): boolean {
    const hasMissedHeartbeats = this.#heartbeatAt !== null && Math.abs(now - this.#heartbeatAt) > MAX_HEARTBEAT_GAP_MS
    return !hasMissedHeartbeats && this.#isSilent(seenAt, now) && this.#isSilent(this.#uninterruptedSince, now)
  }

  /** Takes over from a crashed node, concurrently with the heartbeats, which it must not delay. */
  #startTakeover({ node_id: nodeId, seen_at: seenAt }: NodeRow): void {
    if (this.#isStopping || this.#takeovers.has(nodeId) || this.#takeovers.size >= MAX_CONCURRENT_TAKEOVERS) return
    const takeover = this.#takeOver(nodeId, seenAt)
      .catch((error: unknown) => this.#options.logError(`take over from node ${nodeId}`, error))
      .finally(() => this.#takeovers.delete(nodeId))
    this.#takeovers.set(nodeId, takeover)
  }

  async #takeOver(nodeId: string, seenAt: number): Promise<void> {
    const { database, logger, logError } = this.#options
    const results = await Promise.allSettled(this.#listeners.map(async (listener) => listener(nodeId)))
    const failedResults = results.filter(({ status }) => status === 'rejected')
    for (const failedResult of failedResults)
      logError(`take over from node ${nodeId}`, (failedResult as PromiseRejectedResult).reason)
    if (failedResults.length > 0) return
    // Keeps the node if it has sent a heartbeat since.
    await database.batch([buildDeleteStatement(database, nodeId, seenAt)])
    logger.warn({ nodeId }, 'a node stopped; this node took over its work')
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

/** Maximum number of nodes read per heartbeat. Crashed nodes are deleted, so only live nodes count. */
const MAX_NODES = 1_000

/** Reads the registered nodes, least recently seen first. */
async function readNodes({ read }: Pick<Database, 'read'>): Promise<NodeRow[]> {
  return await read.selectFrom('nodes').selectAll().orderBy('seen_at').limit(MAX_NODES).execute()
}

/** Returns the time when a node was last seen, or null if the node is not registered. */
async function findSeenAt({ read }: Pick<Database, 'read'>, nodeId: string): Promise<number | null> {
  const row = await read.selectFrom('nodes').select('seen_at').where('node_id', '=', nodeId).executeTakeFirst()
  return row?.seen_at ?? null
}

/** Builds a statement that updates the heartbeat, or inserts the row again if other nodes have deleted it. */
function buildHeartbeatStatement({ queryBuilder }: Pick<Database, 'queryBuilder'>, row: NodeRow): BatchStatement {
  const query = queryBuilder
    .insertInto('nodes')
    .values(row)
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ seen_at: row.seen_at }))
    .compile()
  return { query }
}

/** Builds a statement that deletes a node. If `seenAt` is given, deletes the node only if it has sent no heartbeat since. */
function buildDeleteStatement(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  nodeId: string,
  seenAt?: number,
): BatchStatement {
  const query = queryBuilder.deleteFrom('nodes').where('node_id', '=', nodeId)
  return { query: (seenAt === undefined ? query : query.where('seen_at', '=', seenAt)).compile() }
}

/** A clock that follows the database clock. */
interface MeasuredClock extends SharedClock {
  /** Compares the machine's clock with the database clock. Before the first call, both count as equal. */
  measure(): Promise<void>
  /** Time in milliseconds by which the machine's clock is ahead of the database clock. */
  readonly skewMs: number
}

export function createMeasuredClock(clock: Clock, readDatabaseTime: () => Promise<number>): MeasuredClock {
  let skewMs: number | null = null
  return {
    scope: 'installation',
    now: () => Math.round(clock.now() - (skewMs ?? 0)),
    after: clock.after,
    get skewMs() {
      return skewMs ?? 0
    },
    async measure() {
      const sentAt = clock.now()
      const databaseTime = await readDatabaseTime()
      const minSkewMs = sentAt - databaseTime
      const maxSkewMs = clock.now() - databaseTime
      // The database read its clock between the two times. Slow responses and process pauses widen the bounds instead of
      // shifting the clock.
      const estimate = skewMs ?? (minSkewMs + maxSkewMs) / 2
      skewMs = Math.min(Math.max(estimate, minSkewMs), Math.max(minSkewMs, maxSkewMs))
    },
  }
}
