import { listAuditLog } from '@parley/contract/audit'
import { type Api, implement } from '../../kernel/api/implement.ts'
import { printPosition } from '../../kernel/api/paging.ts'
import type { AuditService } from './audit-service.ts'

/** Mounts the operations of the audit log. */
export function registerAuditRoutes(api: Api, service: Pick<AuditService, 'list'>): void {
  implement(
    api,
    listAuditLog,
  )(async ({ query }, context) => {
    const workspaceId = context.workspaceId === 0 ? null : context.workspaceId
    const { items, next } = await service.list(context.actor, workspaceId, query)
    context.setNextPage(next && { key: printPosition(next), version: null })
    return [...items]
  })
}
