import type { AuditEntry } from '../../kernel/audit.ts'
import type { RequestOrigin } from './session-ports.ts'
import type { Account } from './session-store.ts'

/** What a request without a credential did, for the audit log. The typed e-mail address is never part of it. */
export function signInEntry(
  account: Account | null,
  { ip, requestId }: RequestOrigin,
  done: Pick<AuditEntry, 'operation' | 'credentialId' | 'status'>,
): AuditEntry {
  return {
    ...done,
    userId: account?.user.userId ?? '',
    actorRole: account?.user.role ?? 'end_user',
    target: {},
    workspaceId: null,
    accountSid: account?.accountSid ?? null,
    providerId: account?.providerId ?? null,
    context: null,
    requestId,
    ip,
  }
}
