import type { AddAdministratorBody, Administrator, AdministratorAdded } from '@parley/contract/member'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import type { Transaction } from '../../kernel/storage/database.ts'

/** What somebody administers. */
export type AdministratorScope =
  | { readonly role: 'tenant_admin'; readonly accountSid: string }
  | { readonly role: 'provider_admin'; readonly providerId: string }

/** Who administers a tenant or a provider. Whether the actor may ask is for the caller to decide. */
export interface Administrators {
  /** Newest first. */
  list(actor: Actor, scope: AdministratorScope, page: PageRequest): Promise<Page<Administrator>>
  /** Throws `id_taken` for one who is that already. */
  invite(transaction: Transaction, scope: AdministratorScope, body: AddAdministratorBody): Promise<AdministratorAdded>
  /** Makes an end user of this one, or revokes its invitation; false when there was neither. */
  remove(transaction: Transaction, scope: AdministratorScope, userId: string): Promise<boolean>
  /** Makes end users of all of them and revokes the invitations. */
  removeAll(transaction: Transaction, scope: AdministratorScope): Promise<void>
}
