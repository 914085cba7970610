import { type ActorRole, isRoleAtLeast } from '@parley/contract/access'
import type { AuditLogEntry } from '@parley/contract/audit'
import { type Actor, listPermittedWorkspaces } from '../../kernel/access/actor.ts'
import { type Page, type PageRequest, selectNewest, toPage } from '../../kernel/api/paging.ts'
import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { AuditEntryRow } from '../../tables/tenancy-tables.ts'

interface AuditFilter {
  readonly userId?: string | undefined
  readonly operation?: string | undefined
  /** Start of the time range, inclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Maximum number of workspace ids per statement. */
const WORKSPACE_BATCH_SIZE = 500

const NO_CONTEXT = { actorType: null, providerId: null, tenantId: null, workspaceId: null }

/** Lists the entries within the scope, newest first. */
export async function listEntries(
  reader: Reader,
  scope: AuditScope,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditLogEntry>> {
  const rows = await readRows(reader, scope, filter, page)
  return toPage(rows, page.limit, toEntry, (row) => ({ sortValue: row.at, id: row.audit_id }))
}

async function readRows(
  reader: Reader,
  scope: AuditScope,
  filter: AuditFilter,
  page: PageRequest,
): Promise<readonly AuditEntryRow[]> {
  const query = buildEntryQuery(reader, filter, page)
  switch (scope.kind) {
    case 'all':
      return await query.execute()
    case 'tenant':
      return await query.where('account_sid', '=', scope.accountSid).execute()
    case 'provider': {
      const { providerId } = scope
      const tenants = reader.selectFrom('tenants').select('account_sid').where('provider_id', '=', providerId)
      return await query
        .where((where) => where.or([where('provider_id', '=', providerId), where('account_sid', 'in', tenants)]))
        .execute()
    }
    case 'workspaces': {
      // Each batch returns its newest entries, so together they contain the newest entries overall.
      const batches = await Promise.all(
        splitIntoChunks(scope.workspaceIds, WORKSPACE_BATCH_SIZE).map((ids) =>
          query.where('workspace_id', 'in', ids).execute(),
        ),
      )
      return batches.length === 1 ? (batches[0] ?? []) : takeNewest(batches.flat(), page.limit + 1)
    }
  }
}

function buildEntryQuery(reader: Reader, filter: AuditFilter, page: PageRequest) {
  let query = reader.selectFrom('audit_entries').selectAll()
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId)
  if (filter.operation !== undefined) query = query.where('operation', '=', filter.operation)
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from)
  if (filter.to !== undefined) query = query.where('at', '<=', filter.to)
  return selectNewest(query, page, ['at', 'audit_id'])
}

function takeNewest(rows: readonly AuditEntryRow[], count: number): readonly AuditEntryRow[] {
  return rows.toSorted((a, b) => b.at - a.at || (a.audit_id < b.audit_id ? 1 : -1)).slice(0, count)
}

function toEntry(row: AuditEntryRow): AuditLogEntry {
  return {
    auditId: row.audit_id,
    at: new Date(row.at).toISOString(),
    userId: row.user_id,
    credentialId: row.credential_id,
    actorType: row.actor_role as ActorRole,
    operation: row.operation,
    target: JSON.parse(row.target) as Record<string, string>,
    workspaceId: row.workspace_id,
    tenantId: row.account_sid,
    providerId: row.provider_id,
    context: row.context === null ? NO_CONTEXT : (JSON.parse(row.context) as AuditLogEntry['context']),
    status: row.status,
    requestId: row.request_id,
    ip: row.ip,
  }
}

/** Deletes at most `limit` entries created at or before `cutoff`. Returns the number of deleted entries. */
export async function deleteEntries(transaction: Transaction, cutoff: number, limit: number): Promise<number> {
  const expiredEntries = transaction
    .selectFrom('audit_entries')
    .select('audit_id')
    .where('at', '<=', cutoff)
    .limit(limit)
  const result = await transaction
    .deleteFrom('audit_entries')
    .where('audit_id', 'in', expiredEntries)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** The audit log entries that an actor can access. */
type AuditScope =
  | { readonly kind: 'all' }
  /** Actions by the reseller's admins and actions in the reseller's tenants. */
  | { readonly kind: 'provider'; readonly providerId: string }
  | { readonly kind: 'tenant'; readonly accountSid: string }
  | { readonly kind: 'workspaces'; readonly workspaceIds: readonly number[] }

/** Returns the scope that the actor administers, limited to the tenant or reseller in which the actor acts. */
export function getAuditScope(actor: Actor): AuditScope {
  const { role, providerId, accountSid } = actor
  if (accountSid !== null && isRoleAtLeast(role, 'tenant_admin')) return { kind: 'tenant', accountSid }
  if (providerId !== null && isRoleAtLeast(role, 'provider_admin')) return { kind: 'provider', providerId }
  if (role === 'platform_admin') return { kind: 'all' }
  return { kind: 'workspaces', workspaceIds: listPermittedWorkspaces(actor, 'admin') }
}
