import type { Reader, Transaction } from '../../kernel/storage/database.ts'

/** What sessions need of the access feature. */
export interface SessionAccess {
  /** Hash of a cookie or link, the only form in which it is stored. */
  hashToken(token: string): string
  /** Call after sessions or passwords change. */
  forget(): void
}

/** Accounts of invited people. */
export interface InvitedPeople {
  /** The address of an open invitation whose person has not chosen a password; null for any other link. */
  findNewEmail(reader: Reader, tokenHash: string): Promise<string | null>
  /** Creates the account of a new person; null when `findNewEmail` returns null. */
  createUser(
    transaction: Transaction,
    tokenHash: string,
    passwordHash: string,
  ): Promise<{ readonly linkId: string; readonly userId: string } | null>
  /** Turns a person's memberships outside of these workspaces into invitations without a link. */
  suspendOutside(transaction: Transaction, userId: string, workspaceIds: readonly number[]): Promise<void>
}

/** Hashes and verifies passwords. `hash` and `verify` throw `unavailable` when the queue is full. */
export interface PasswordHashes {
  hash(password: string): Promise<string>
  /** Returns false for `null` after the same amount of time as for a wrong password. */
  verify(password: string, stored: string | null): Promise<boolean>
  /** Why a chosen password is not allowed, as the end of a sentence about its field. */
  findProblem(password: string, email: string): Promise<string | null>
}

/** Origin of a request for the audit log. */
export interface RequestOrigin {
  readonly ip: string
  readonly requestId: string
}
