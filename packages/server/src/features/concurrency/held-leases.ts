import type { Database } from '../../kernel/storage/database.ts'
import type { LeaseReservations, Leases, Nodes } from '../../kernel/work/nodes.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import {
  acquireLeases,
  buildDeleteExpiredStatement,
  buildReleaseNodeStatement,
  buildReleaseStatements,
  hasExpiredLeases,
  type LeaseRequest,
  NO_NODE,
  renewLeases,
} from './lease-store.ts'

/** A dead node's leases expire after this time. Leases survive two consecutive failed renewals. */
const LEASE_TTL_MS = 10_000
const RENEWAL_INTERVAL_MS = 3_000
/** Interval for removing expired leases of idle workspaces. In other workspaces, the next acquisition removes them. */
const SWEEP_INTERVAL_MS = 60_000
/** Maximum number of acquisitions in one transaction. */
const MAX_ACQUISITIONS_PER_TRANSACTION = 100

interface HeldLeasesOptions {
  readonly database: Pick<Database, 'read' | 'queryBuilder' | 'batch' | 'transaction' | 'capabilities'>
  readonly clock: SharedClock
  readonly nodes: Pick<Nodes, 'nodeId' | 'onNodeCrash'>
  readonly logError: (name: string, error: unknown) => void
}

/** The leases that this node holds and renews. */
export interface HeldLeases extends Leases {
  /** Starts renewing leases and removing expired leases. */
  start(): void
  /** Releases all leases. No more leases can be acquired. */
  stop(): Promise<void>
}

export function createHeldLeases(options: HeldLeasesOptions): HeldLeases {
  return new LeaseHolder(options)
}

interface PendingAcquisition {
  readonly leaseId: string
  readonly decision: PromiseWithResolvers<boolean>
}

class LeaseHolder implements HeldLeases {
  readonly #options: HeldLeasesOptions
  readonly #heldIds = new Set<string>()
  readonly #pendingAcquisitions = new Map<string, Promise<boolean>>()
  /** Pending acquisitions by workspace. */
  readonly #queuesByWorkspace = new Map<number, PendingAcquisition[]>()
  readonly #lostListeners: ((leaseId: string) => void)[] = []
  /** Whether the database may contain leases that this node does not hold, because the outcome of a write is unknown. */
  #mayHaveOrphanedLeases = false
  #renewal: Promise<void> = Promise.resolve()
  #cancelRenewal: () => void = () => undefined
  #cancelSweep: () => void = () => undefined
  #isStopping = false

  constructor(options: HeldLeasesOptions) {
    this.#options = options
    const { nodes, database } = options
    nodes.onNodeCrash((nodeId) => database.batch([buildReleaseNodeStatement(database, nodeId)]))
  }

  start(): void {
    this.#scheduleRenewal(RENEWAL_INTERVAL_MS)
    void this.#sweep()
  }

  onLost(listener: (leaseId: string) => void): void {
    this.#lostListeners.push(listener)
  }

  async acquire(workspaceId: number, leaseId: string): Promise<boolean> {
    if (this.#isStopping) return false
    if (this.#heldIds.has(leaseId)) return true
    const pendingAcquisition = this.#pendingAcquisitions.get(leaseId)
    if (pendingAcquisition !== undefined) return await pendingAcquisition
    const decision = Promise.withResolvers<boolean>()
    const acquisition = decision.promise.finally(() => this.#pendingAcquisitions.delete(leaseId))
    this.#pendingAcquisitions.set(leaseId, acquisition)
    const queue = this.#queuesByWorkspace.get(workspaceId)
    if (queue === undefined) {
      const newQueue = [{ leaseId, decision }]
      this.#queuesByWorkspace.set(workspaceId, newQueue)
      void this.#processQueue(workspaceId, newQueue)
    } else {
      queue.push({ leaseId, decision })
    }
    return await acquisition
  }

  async release(leaseId: string): Promise<void> {
    const { database, nodes, logError } = this.#options
    await this.#pendingAcquisitions.get(leaseId)?.catch(() => undefined)
    if (!this.#heldIds.delete(leaseId)) return
    try {
      await database.batch(buildReleaseStatements(database, nodes.nodeId, [leaseId]))
    } catch (error) {
      this.#mayHaveOrphanedLeases = true
      logError(`release lease ${leaseId}`, error)
    }
  }

  async stop(): Promise<void> {
    const { database, nodes, logError } = this.#options
    this.#isStopping = true
    this.#cancelRenewal()
    this.#cancelSweep()
    await Promise.allSettled([this.#renewal, ...this.#pendingAcquisitions.values()])
    this.#heldIds.clear()
    try {
      await database.batch([buildReleaseNodeStatement(database, nodes.nodeId)])
    } catch (error) {
      logError('release leases', error)
    }
  }

  /** Processes a workspace's acquisitions in batches, with one transaction at a time. */
  async #processQueue(workspaceId: number, queue: PendingAcquisition[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_ACQUISITIONS_PER_TRANSACTION)
      try {
        const acquiredIds = await this.#acquireBatch(workspaceId, batch)
        for (const { leaseId, decision } of batch) {
          const isAcquired = acquiredIds.has(leaseId)
          if (isAcquired) this.#heldIds.add(leaseId)
          decision.resolve(isAcquired)
        }
      } catch (error) {
        // The failed transaction may have been committed.
        this.#mayHaveOrphanedLeases = true
        for (const { decision } of batch) decision.reject(error)
      }
    }
    this.#queuesByWorkspace.delete(workspaceId)
  }

  #acquireBatch(workspaceId: number, batch: readonly PendingAcquisition[]): Promise<ReadonlySet<string>> {
    const { database, nodes, clock } = this.#options
    const now = clock.now()
    const request: LeaseRequest = {
      workspaceId,
      leaseIds: batch.map(({ leaseId }) => leaseId),
      holder: nodes.nodeId,
      now,
      expiresAt: now + LEASE_TTL_MS,
    }
    return database.transaction((transaction) => acquireLeases(transaction, request, database.capabilities.rowLocks), {
      isolation: 'read-committed',
    })
  }

  /** Schedules renewals at a fixed interval, regardless of how long each renewal takes. */
  #scheduleRenewal(delayMs: number): void {
    const { clock, logError } = this.#options
    this.#cancelRenewal = clock.after(delayMs, () => {
      const startMs = clock.now()
      this.#renewal = this.#renew()
        .catch((error: unknown) => logError('renew leases', error))
        .finally(() => {
          const remainingMs = RENEWAL_INTERVAL_MS - Math.max(0, clock.now() - startMs)
          if (!this.#isStopping) this.#scheduleRenewal(Math.max(0, remainingMs))
        })
    })
  }

  async #renew(): Promise<void> {
    const { database, nodes, clock } = this.#options
    if (this.#heldIds.size === 0 && !this.#mayHaveOrphanedLeases) return
    const heldIds = [...this.#heldIds]
    this.#mayHaveOrphanedLeases = false
    const expiresAt = clock.now() + LEASE_TTL_MS
    let renewedIds: ReadonlySet<string>
    try {
      renewedIds = await database.transaction((transaction) => renewLeases(transaction, nodes.nodeId, expiresAt), {
        isolation: 'read-committed',
      })
      const orphanedIds = [...renewedIds].filter(
        (leaseId) => !this.#heldIds.has(leaseId) && !this.#pendingAcquisitions.has(leaseId),
      )
      if (orphanedIds.length > 0)
        await database.batch(buildReleaseStatements(database, nodes.nodeId, orphanedIds, expiresAt))
    } catch (error) {
      this.#mayHaveOrphanedLeases = true
      throw error
    }
    for (const leaseId of heldIds) {
      // A lease released during the renewal is not lost.
      if (!renewedIds.has(leaseId) && this.#heldIds.delete(leaseId)) this.#notifyLost(leaseId)
    }
  }

  #notifyLost(leaseId: string): void {
    for (const listener of this.#lostListeners) {
      try {
        listener(leaseId)
      } catch (error) {
        this.#options.logError(`lost lease ${leaseId}`, error)
      }
    }
  }

  async #sweep(): Promise<void> {
    const { database, clock, logError } = this.#options
    this.#cancelSweep = clock.after(SWEEP_INTERVAL_MS, () => void this.#sweep())
    // Keeps recently expired leases, because their node may still renew them.
    const cutoffMs = clock.now() - LEASE_TTL_MS
    try {
      if (await hasExpiredLeases(database, cutoffMs))
        await database.batch([buildDeleteExpiredStatement(database, cutoffMs)])
    } catch (error) {
      logError('remove expired leases', error)
    }
  }
}

/** Reserves concurrency slots for calls that wait for their caller. */
export function createLeaseReservations({
  database,
  clock,
}: {
  readonly database: Pick<Database, 'queryBuilder' | 'capabilities'>
  readonly clock: Omit<SharedClock, 'after'>
}): LeaseReservations {
  return {
    async reserve(transaction, { workspaceId, leaseId, durationMs }) {
      const now = clock.now()
      const request = { workspaceId, leaseIds: [leaseId], holder: NO_NODE, now, expiresAt: now + durationMs }
      return (await acquireLeases(transaction, request, database.capabilities.rowLocks)).has(leaseId)
    },

    buildCancelStatement(leaseId) {
      const query = database.queryBuilder
        .deleteFrom('leases')
        .where('lease_id', '=', leaseId)
        .where('holder', '=', NO_NODE)
      return { query: query.compile() }
    },
  }
}
