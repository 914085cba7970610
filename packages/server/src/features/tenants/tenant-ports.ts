import type { AddAdministratorBody, Administrator, AdministratorAdded } from '@parley/contract/member'
import type { Actor } from '../../kernel/actor.ts'
import type { Transaction } from '../../kernel/database.ts'
import type { Page, PageRequest } from '../../kernel/paging.ts'

/** Administrators of a tenant, as they are named to whoever keeps them. */
export interface TenantScope {
  readonly role: 'tenant_admin'
  readonly accountSid: string
}

/** Keeps the administrators. Whether the actor may ask is decided here. */
export interface TenantAdministrators {
  list(actor: Actor, scope: TenantScope, page: PageRequest): Promise<Page<Administrator>>
  add(
    transaction: Transaction,
    actor: Actor,
    addition: { readonly scope: TenantScope; readonly body: AddAdministratorBody },
  ): Promise<AdministratorAdded>
  /** False when it was no such administrator. */
  remove(transaction: Transaction, scope: TenantScope, userId: string): Promise<boolean>
  removeAll(transaction: Transaction, scope: TenantScope): Promise<void>
}

/** Drops the brand of what is deleted. */
export interface Brands {
  drop(transaction: Transaction, ownerId: string): Promise<void>
}

/** Told after who reaches what has changed. */
export interface Access {
  forget(): void
}
