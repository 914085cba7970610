import type { AuditLogEntry, AuditLogQuery } from '@parley/contract/audit'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import { type Page, readPage } from '../../kernel/api/paging.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { auditScopeOf, deleteEntries, listEntries } from './audit-store.ts'

const RETENTION_MS = 400 * 24 * 60 * 60 * 1000
/** So few that nobody waits for long behind them. */
const DELETE_BATCH_SIZE = 2_000

export interface AuditService {
  /** Entries of one workspace, which the caller may administer, or with `null` of all that the actor administers. */
  list(actor: Actor, workspaceId: number | null, query: AuditLogQuery): Promise<Page<AuditLogEntry>>
  /** Deletes what is older than 400 days. Doing it twice is harmless. */
  sweep(signal?: AbortSignal): Promise<void>
}

/** Reads the audit log and forgets what is too old. */
export function createAuditService(database: Database, clock: Omit<Clock, 'after'>): AuditService {
  return {
    async list(actor, workspaceId, query) {
      const scope =
        workspaceId === null ? auditScopeOf(actor) : ({ kind: 'workspaces', workspaceIds: [workspaceId] } as const)
      const { userId, operation, startDate, endDate } = query
      return await listEntries(
        database.read,
        scope,
        { userId, operation, from: startDate, to: endDate },
        readPage(query),
      )
    },

    async sweep(signal) {
      const until = clock.now() - RETENTION_MS
      let deleted = DELETE_BATCH_SIZE
      while (deleted === DELETE_BATCH_SIZE && signal?.aborted !== true) {
        deleted = await database.transaction((unit) => deleteEntries(unit, until, DELETE_BATCH_SIZE))
      }
    },
  }
}
