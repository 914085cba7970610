import type { AddAdministratorBody, Administrator, AdministratorAdded } from '@parley/contract/member'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'

/** Creates secrets for links; only the digest may be stored. */
export interface LinkTokens {
  make(page: 'accept-invitation'): { readonly url: string; readonly tokenHash: string }
}

/** Creates links with which a user sets a password. */
export interface PasswordLinks {
  /**
   * `expiresAt` in milliseconds. Invalidates earlier links for the same user. Using the link ends memberships outside
   * of `workspaceIds`.
   */
  create(
    transaction: Transaction,
    link: { readonly userId: string; readonly ttlMs: number; readonly workspaceIds: readonly number[] },
  ): Promise<{ readonly url: string; readonly expiresAt: number }>
}

/** Whether an actor administers a person. */
export type CanManagePerson = (reader: Reader, actor: Actor, userId: string) => Promise<boolean>

/** Rate-limits guesses. */
export interface GuessThrottle {
  /** Throws `rate_limited`. The attempt counts as failed until withdrawn. */
  startSessionAttempt(sessionId: string): Promise<{ withdraw(): void }>
}

/** Call after access rights change. */
export interface AccessCache {
  forget(): void
}

/** Drops the brand of a deleted owner. */
export interface Brands {
  drop(transaction: Transaction, ownerId: string): Promise<void>
}

/** A tenant or reseller that people administer. */
export type AdministratorScope =
  | { readonly role: 'tenant_admin'; readonly accountSid: string }
  | { readonly role: 'provider_admin'; readonly providerId: string }

/** Administrators of a tenant or reseller. Callers check the actor's rights. */
export interface Administrators {
  /** Newest first. */
  list(actor: Actor, scope: AdministratorScope, page: PageRequest): Promise<Page<Administrator>>
  /** Throws `id_taken` for an existing administrator. */
  invite(transaction: Transaction, scope: AdministratorScope, body: AddAdministratorBody): Promise<AdministratorAdded>
  /** Turns the administrator into an end user, or revokes the invitation; false when there was neither. */
  remove(transaction: Transaction, scope: AdministratorScope, userId: string): Promise<boolean>
  /** Turns all administrators into end users and revokes all invitations. */
  removeAll(transaction: Transaction, scope: AdministratorScope): Promise<void>
}
