import type { ActorRole } from '@parley/contract/access'
import type { ContextClaims } from '../../kernel/access/actor-context.ts'

/** Something that was done, as the audit log keeps it: who, what and to what, never its content. */
export interface AuditEntry {
  readonly userId: string
  readonly credentialId: string
  readonly actorRole: ActorRole
  /** Name of the operation. */
  readonly operation: string
  /** Ids that the path named, and of what was created. */
  readonly target: Readonly<Record<string, string>>
  readonly workspaceId: number | null
  readonly accountSid: string | null
  readonly providerId: string | null
  readonly context: ContextClaims | null
  readonly status: number
  readonly requestId: string
  readonly ip: string
}

/** Where entries go. */
export interface AuditTrail {
  /** Durable when it resolves. */
  record(entry: AuditEntry): Promise<void>
}
