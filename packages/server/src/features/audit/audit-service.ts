import { type AuditLogEntry, type AuditLogQuery, listAuditLog } from '@parley/contract/audit'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import { type Api, implement, respondWithPage } from '../../kernel/api/implement.ts'
import { type Page, parsePageRequest } from '../../kernel/api/paging.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { deleteEntries, getAuditScope, listEntries } from './audit-store.ts'

const RETENTION_MS = 400 * 24 * 60 * 60 * 1000
/** Maximum number of deleted entries per transaction, so that other writes do not wait long. */
const DELETE_BATCH_SIZE = 2_000

export interface AuditService {
  /** Lists the workspace's entries, or all entries that the actor can access if `workspaceId` is null. */
  list(actor: Actor, workspaceId: number | null, query: AuditLogQuery): Promise<Page<AuditLogEntry>>
  /** Deletes entries older than 400 days. Safe to repeat. */
  sweep(signal?: AbortSignal): Promise<void>
}

/** Creates the service that lists audit log entries and deletes old entries. */
export function createAuditService(database: Database, clock: Omit<Clock, 'after'>): AuditService {
  return {
    async list(actor, workspaceId, query) {
      const scope =
        workspaceId === null ? getAuditScope(actor) : ({ kind: 'workspaces', workspaceIds: [workspaceId] } as const)
      const { userId, operation, startDate, endDate } = query
      return await listEntries(
        database.read,
        scope,
        { userId, operation, from: startDate, to: endDate },
        parsePageRequest(query),
      )
    },

    async sweep(signal) {
      const cutoff = clock.now() - RETENTION_MS
      let deletedCount = DELETE_BATCH_SIZE
      while (deletedCount === DELETE_BATCH_SIZE && signal?.aborted !== true) {
        deletedCount = await database.transaction((transaction) =>
          deleteEntries(transaction, cutoff, DELETE_BATCH_SIZE),
        )
      }
    },
  }
}

/** Registers the audit log operations. */
export function registerAuditRoutes(api: Api, service: Pick<AuditService, 'list'>): void {
  implement(api, listAuditLog, async ({ query }, context) => {
    const workspaceId = context.workspaceId === 0 ? null : context.workspaceId
    return respondWithPage(context, await service.list(context.actor, workspaceId, query))
  })
}
