import type { ActorRole } from '@parley/contract/access'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { ContextClaims } from '../../kernel/access/actor-context.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { prepareStatement } from '../../kernel/storage/prepared-query.ts'
import type { AuditEntryRow } from '../../tables/tenancy-tables.ts'

/** Creates an audit trail that writes each entry in the same commit as other pending writes. */
export function createAuditTrail(database: Database, clock: Omit<Clock, 'after'>, makeId: MakeId): AuditTrail {
  return {
    async record(entry) {
      const query = buildEntryInsert(database, {
        audit_id: makeId('audit'),
        at: clock.now(),
        user_id: entry.userId,
        credential_id: entry.credentialId,
        actor_role: entry.actorRole,
        operation: entry.operation,
        target: JSON.stringify(entry.target),
        workspace_id: entry.workspaceId,
        account_sid: entry.accountSid,
        provider_id: entry.providerId,
        context: entry.context === null ? null : JSON.stringify(entry.context),
        status: entry.status,
        request_id: entry.requestId,
        ip: entry.ip,
      })
      await database.batch([{ query }])
    },
  }
}

const buildEntryInsert = prepareStatement<AuditEntryRow>((queryBuilder, param) =>
  queryBuilder.insertInto('audit_entries').values({
    audit_id: param('audit_id'),
    at: param('at'),
    user_id: param('user_id'),
    credential_id: param('credential_id'),
    actor_role: param('actor_role'),
    operation: param('operation'),
    target: param('target'),
    workspace_id: param('workspace_id'),
    account_sid: param('account_sid'),
    provider_id: param('provider_id'),
    context: param('context'),
    status: param('status'),
    request_id: param('request_id'),
    ip: param('ip'),
  }),
)

/** An audit log entry. Contains the actor, the operation and the resource, but no content. */
export interface AuditEntry {
  readonly userId: string
  readonly credentialId: string
  readonly actorRole: ActorRole
  readonly operation: string
  /** Resource ids from the request path. */
  readonly target: Readonly<Record<string, string>>
  readonly workspaceId: number | null
  readonly accountSid: string | null
  readonly providerId: string | null
  readonly context: ContextClaims | null
  readonly status: number
  readonly requestId: string
  readonly ip: string
}

export interface AuditTrail {
  /** Stores an entry. The entry is durable when the promise resolves. */
  record(entry: AuditEntry): Promise<void>
}
