import type { Actor } from '../../kernel/access/actor.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'

/** Which accounts an actor administers. */
export interface TenantAdministration {
  administersTenant(reader: Reader, actor: Actor, accountSid: string): Promise<boolean>
  /** The one account that the actor administers; null when there is none or more than one. */
  findOnlyTenant(reader: Reader, actor: Actor): Promise<string | null>
}

/** Told before a workspace is deleted, with its calls. */
export interface RecordedCalls {
  /** Once the unit of work is committed the recordings of all its calls go, whatever fails meanwhile. */
  removeAllInWorkspace(transaction: Transaction, workspaceId: number): Promise<void>
}

/** Told before a workspace is deleted. */
export interface WorkspacePeople {
  deleteUsersOnlyIn(transaction: Transaction, workspaceId: number): Promise<void>
}
