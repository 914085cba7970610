import { type AuditLogEntry, type AuditLogQuery, listAuditLog } from '@parley/contract/audit'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import { type Api, implement, respondWithPage } from '../../kernel/api/implement.ts'
import { type Page, readPage } from '../../kernel/api/paging.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { auditScopeOf, deleteEntries, listEntries } from './audit-store.ts'

const RETENTION_MS = 400 * 24 * 60 * 60 * 1000
/** Small enough that other writers wait only briefly. */
const DELETE_BATCH_SIZE = 2_000

export interface AuditService {
  /**
   * Entries of one workspace that the caller may administer, or with `null` of everything that the actor administers.
   */
  list(actor: Actor, workspaceId: number | null, query: AuditLogQuery): Promise<Page<AuditLogEntry>>
  /** Deletes entries older than 400 days. Safe to repeat. */
  sweep(signal?: AbortSignal): Promise<void>
}

/** Reads the audit log and deletes old entries. */
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

/** Registers the operations of the audit log. */
export function registerAuditRoutes(api: Api, service: Pick<AuditService, 'list'>): void {
  implement(api, listAuditLog, async ({ query }, context) => {
    const workspaceId = context.workspaceId === 0 ? null : context.workspaceId
    return respondWithPage(context, await service.list(context.actor, workspaceId, query))
  })
}
