import type { Database } from '../../kernel/storage/database.ts'
import type { LeaseReservations, Leases, Nodes } from '../../kernel/work/nodes.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import {
  acquireLeases,
  deleteExpiredLeases,
  hasExpiredLeases,
  type LeaseRequest,
  NO_NODE,
  releaseLeases,
  releaseNodeLeases,
  renewLeases,
} from './lease-store.ts'

/** How long a dead node's leases survive. Two failed renewals in a row do not lose a lease. */
const LEASE_TTL_MS = 10_000
const RENEWAL_INTERVAL_MS = 3_000
/** Interval for removing expired leases of idle workspaces. In other workspaces, the next acquisition removes them. */
const SWEEP_INTERVAL_MS = 60_000
/** Maximum number of acquisitions in one transaction. */
const MAX_PER_TRANSACTION = 100

interface HeldLeasesOptions {
  readonly database: Pick<Database, 'read' | 'compile' | 'batch' | 'transaction' | 'capabilities'>
  readonly clock: SharedClock
  readonly nodes: Pick<Nodes, 'nodeId' | 'onNodeCrash'>
  readonly logError: (name: string, error: unknown) => void
}

/** The leases that this node holds and renews. */
export interface HeldLeases extends Leases {
  /** Starts renewing leases and removing expired leases. */
  start(): void
  /** Releases all leases. No lease can be taken afterwards. */
  stop(): Promise<void>
}

export function createHeldLeases(options: HeldLeasesOptions): HeldLeases {
  return new LeaseHolder(options)
}

interface WaitingAcquisition {
  readonly leaseId: string
  readonly decision: PromiseWithResolvers<boolean>
}

class LeaseHolder implements HeldLeases {
  readonly #options: HeldLeasesOptions
  readonly #heldIds = new Set<string>()
  readonly #acquisitions = new Map<string, Promise<boolean>>()
  /** Waiting acquisitions by workspace. */
  readonly #queues = new Map<number, WaitingAcquisition[]>()
  readonly #lostListeners: ((leaseId: string) => void)[] = []
  /** Whether the database may contain leases that this node no longer holds, because a write had an unknown outcome. */
  #mayHaveOrphanedLeases = false
  #renewal: Promise<void> = Promise.resolve()
  #cancelRenewal: () => void = () => undefined
  #cancelSweep: () => void = () => undefined
  #isStopping = false

  constructor(options: HeldLeasesOptions) {
    this.#options = options
    const { nodes, database } = options
    nodes.onNodeCrash((nodeId) => database.batch([releaseNodeLeases(database, nodeId)]))
  }

  start(): void {
    this.#renewAfter(RENEWAL_INTERVAL_MS)
    void this.#sweep()
  }

  onLost(listener: (leaseId: string) => void): void {
    this.#lostListeners.push(listener)
  }

  async take(workspaceId: number, leaseId: string): Promise<boolean> {
    if (this.#isStopping) return false
    if (this.#heldIds.has(leaseId)) return true
    const runningAcquisition = this.#acquisitions.get(leaseId)
    if (runningAcquisition !== undefined) return await runningAcquisition
    const decision = Promise.withResolvers<boolean>()
    const acquisition = decision.promise.finally(() => this.#acquisitions.delete(leaseId))
    this.#acquisitions.set(leaseId, acquisition)
    const queue = this.#queues.get(workspaceId)
    if (queue === undefined) {
      const newQueue = [{ leaseId, decision }]
      this.#queues.set(workspaceId, newQueue)
      void this.#processQueue(workspaceId, newQueue)
    } else {
      queue.push({ leaseId, decision })
    }
    return await acquisition
  }

  async release(leaseId: string): Promise<void> {
    const { database, nodes, logError } = this.#options
    await this.#acquisitions.get(leaseId)?.catch(() => undefined)
    if (!this.#heldIds.delete(leaseId)) return
    try {
      await database.batch(releaseLeases(database, nodes.nodeId, [leaseId]))
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
    await Promise.allSettled([this.#renewal, ...this.#acquisitions.values()])
    this.#heldIds.clear()
    try {
      await database.batch([releaseNodeLeases(database, nodes.nodeId)])
    } catch (error) {
      logError('release leases', error)
    }
  }

  /** Processes a workspace's acquisitions one transaction at a time. Later acquisitions share the next transaction. */
  async #processQueue(workspaceId: number, queue: WaitingAcquisition[]): Promise<void> {
    while (queue.length > 0) {
      const group = queue.splice(0, MAX_PER_TRANSACTION)
      try {
        const acquiredIds = await this.#acquireGroup(workspaceId, group)
        for (const { leaseId, decision } of group) {
          const isTaken = acquiredIds.has(leaseId)
          if (isTaken) this.#heldIds.add(leaseId)
          decision.resolve(isTaken)
        }
      } catch (error) {
        // The failed transaction may have been committed.
        this.#mayHaveOrphanedLeases = true
        for (const { decision } of group) decision.reject(error)
      }
    }
    this.#queues.delete(workspaceId)
  }

  #acquireGroup(workspaceId: number, group: readonly WaitingAcquisition[]): Promise<ReadonlySet<string>> {
    const { database, nodes, clock } = this.#options
    const now = clock.now()
    const request: LeaseRequest = {
      workspaceId,
      leaseIds: group.map(({ leaseId }) => leaseId),
      holder: nodes.nodeId,
      now,
      expiresAt: now + LEASE_TTL_MS,
    }
    return database.transaction((transaction) => acquireLeases(transaction, request, database.capabilities.rowLocks), {
      isolation: 'read-committed',
    })
  }

  /** Schedules the next renewal at a steady pace, regardless of how long a renewal takes. */
  #renewAfter(delayMs: number): void {
    const { clock, logError } = this.#options
    this.#cancelRenewal = clock.after(delayMs, () => {
      const startMs = clock.now()
      this.#renewal = this.#renew()
        .catch((error: unknown) => logError('renew leases', error))
        .finally(() => {
          const remainingMs = RENEWAL_INTERVAL_MS - Math.max(0, clock.now() - startMs)
          if (!this.#isStopping) this.#renewAfter(Math.max(0, remainingMs))
        })
    })
  }

  async #renew(): Promise<void> {
    const { database, nodes, clock } = this.#options
    if (this.#heldIds.size === 0 && !this.#mayHaveOrphanedLeases) return
    const heldIds = [...this.#heldIds]
    this.#mayHaveOrphanedLeases = false
    const expiresAt = clock.now() + LEASE_TTL_MS
    let renewed: ReadonlySet<string>
    try {
      renewed = await database.transaction((transaction) => renewLeases(transaction, nodes.nodeId, expiresAt), {
        isolation: 'read-committed',
      })
      const orphanIds = [...renewed].filter(
        (leaseId) => !this.#heldIds.has(leaseId) && !this.#acquisitions.has(leaseId),
      )
      if (orphanIds.length > 0) await database.batch(releaseLeases(database, nodes.nodeId, orphanIds, expiresAt))
    } catch (error) {
      this.#mayHaveOrphanedLeases = true
      throw error
    }
    for (const leaseId of heldIds) {
      // A lease released during the renewal is not lost.
      if (!renewed.has(leaseId) && this.#heldIds.delete(leaseId)) this.#notifyLost(leaseId)
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
    // A recently expired lease can still be renewed, because its slot stays taken while its row exists.
    const cutoffMs = clock.now() - LEASE_TTL_MS
    try {
      if (await hasExpiredLeases(database, cutoffMs)) await database.batch([deleteExpiredLeases(database, cutoffMs)])
    } catch (error) {
      logError('remove expired leases', error)
    }
  }
}

/** Creates reservations of concurrency slots for calls that wait for their caller. */
export function createLeaseReservations({
  database,
  clock,
}: {
  readonly database: Pick<Database, 'compile' | 'capabilities'>
  readonly clock: Omit<SharedClock, 'after'>
}): LeaseReservations {
  return {
    async reserve(transaction, { workspaceId, leaseId, durationMs }) {
      const now = clock.now()
      const request = { workspaceId, leaseIds: [leaseId], holder: NO_NODE, now, expiresAt: now + durationMs }
      return (await acquireLeases(transaction, request, database.capabilities.rowLocks)).has(leaseId)
    },

    buildCancelStatement(leaseId) {
      const query = database.compile.deleteFrom('leases').where('lease_id', '=', leaseId).where('holder', '=', NO_NODE)
      return { query: query.compile() }
    },
  }
}
