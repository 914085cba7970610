import type { Clock, MakeId } from '@parley/engine/ports'
import type { Database } from '../../kernel/storage/database.ts'
import type { AuditTrail } from './audit.ts'

/** Writes entries of the audit log. They share commits with whatever else is written at the time. */
export function createAuditTrail(database: Database, clock: Omit<Clock, 'after'>, makeId: MakeId): AuditTrail {
  return {
    async record(entry) {
      const query = database.compile
        .insertInto('audit_entries')
        .values({
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
        .compile()
      await database.batch([{ query }])
    },
  }
}
