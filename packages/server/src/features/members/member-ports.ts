import type { AddAdministratorBody, Administrator, AdministratorAdded } from '@parley/contract/member'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'

/** Creates secret tokens for links. Only a token's digest may be stored. */
export interface LinkTokens {
  create(page: 'accept-invitation'): { readonly url: string; readonly tokenHash: string }
}

/** Creates links that let a user set a password. */
export interface PasswordLinks {
  /**
   * Creates a link and invalidates the user's earlier links. Using the link ends memberships in workspaces not in `workspaceIds`.
   * `expiresAt` is in milliseconds.
   */
  create(
    transaction: Transaction,
    link: { readonly userId: string; readonly ttlMs: number; readonly workspaceIds: readonly number[] },
  ): Promise<{ readonly url: string; readonly expiresAt: number }>
}

/** Whether an actor administers a person. */
export type CanManagePerson = (reader: Reader, actor: Actor, userId: string) => Promise<boolean>

/** Limits the rate of guesses. */
export interface GuessThrottle {
  /** Starts an attempt, which counts as failed until `withdraw` is called. Throws `rate_limited` after too many failures. */
  startSessionAttempt(sessionId: string): Promise<{ withdraw(): void }>
}

/** Cache of access rights. `invalidate` must be called after access rights change. */
export interface AccessCache {
  invalidate(): void
}

/** Removes the brand of a deleted owner. */
export interface Brands {
  delete(transaction: Transaction, ownerId: string): Promise<void>
}

/** A tenant or reseller with administrators. */
export type AdministratorScope =
  | { readonly role: 'tenant_admin'; readonly accountSid: string }
  | { readonly role: 'provider_admin'; readonly providerId: string }

/** Manages administrators of a tenant or reseller. Callers check the actor's rights. */
export interface Administrators {
  /** Lists the administrators, newest first. */
  list(actor: Actor, scope: AdministratorScope, page: PageRequest): Promise<Page<Administrator>>
  /** Invites an administrator. Throws `id_taken` if the person already is an administrator. */
  invite(transaction: Transaction, scope: AdministratorScope, body: AddAdministratorBody): Promise<AdministratorAdded>
  /** Demotes the administrator to an end user, or revokes the invitation. Returns false if there was neither. */
  remove(transaction: Transaction, scope: AdministratorScope, userId: string): Promise<boolean>
  /** Demotes all administrators to end users and revokes all invitations. */
  removeAll(transaction: Transaction, scope: AdministratorScope): Promise<void>
}
