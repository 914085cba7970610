import type { Database } from '../../kernel/storage/database.ts'
import type { LeaseReservations } from '../../kernel/work/nodes.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import { acquireLeases, NOBODY } from './lease-store.ts'

/** Keeps slots for calls whose caller has yet to come. */
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
      const request = { workspaceId, leaseIds: [leaseId], holder: NOBODY, now, expiresAt: now + durationMs }
      return (await acquireLeases(transaction, request, database.capabilities.rowLocks)).has(leaseId)
    },

    cancel(leaseId) {
      const query = database.compile.deleteFrom('leases').where('lease_id', '=', leaseId).where('holder', '=', NOBODY)
      return { query: query.compile() }
    },
  }
}
