import type { AddAdministratorBody, Administrator, AdministratorAdded } from '@parley/contract/member'
import type { Actor } from '../../kernel/actor.ts'
import type { Reader, Transaction } from '../../kernel/database.ts'
import type { Page, PageRequest } from '../../kernel/paging.ts'

/** Which providers an actor administers. */
export interface ProviderAdministration {
  /** Null: nothing. With an `accountSid` it acts within that tenant only. */
  findReach(
    reader: Reader,
    actor: Actor,
  ): Promise<{ readonly providerId: string | null; readonly accountSid: string | null } | null>
  administersProvider(reader: Reader, actor: Actor, providerId: string): Promise<boolean>
}

/** Administrators of a provider, as they are named to whoever keeps them. */
export interface ProviderScope {
  readonly role: 'provider_admin'
  readonly providerId: string
}

/** Keeps the administrators. Whether the actor may ask is decided here. */
export interface ProviderAdministrators {
  list(actor: Actor, scope: ProviderScope, page: PageRequest): Promise<Page<Administrator>>
  add(
    transaction: Transaction,
    actor: Actor,
    addition: { readonly scope: ProviderScope; readonly body: AddAdministratorBody },
  ): Promise<AdministratorAdded>
  /** False when it was no such administrator. */
  remove(transaction: Transaction, scope: ProviderScope, userId: string): Promise<boolean>
  removeAll(transaction: Transaction, scope: ProviderScope): Promise<void>
}

/** Drops the brand of what is deleted. */
export interface Brands {
  drop(transaction: Transaction, ownerId: string): Promise<void>
}

/** Told after who reaches what has changed. */
export interface Access {
  forget(): void
}
