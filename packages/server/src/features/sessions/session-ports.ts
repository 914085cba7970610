import type { Reader, Transaction } from '../../kernel/storage/database.ts'

/** What logins need of whoever decides about access. */
export interface SessionAccess {
  /** Of a cookie or link, the only form in which it is stored. */
  hashToken(token: string): string
  /** After logins or passwords have changed. */
  forget(): void
}

/** People whom links let in. */
export interface InvitedPeople {
  /** The address of an open invitation whose person has yet to choose a password; null for any other link. */
  findNewEmail(reader: Reader, tokenHash: string): Promise<string | null>
  /** Makes the account of a new person; null when `findNewEmail` is. */
  createUser(
    transaction: Transaction,
    tokenHash: string,
    passwordHash: string,
  ): Promise<{ readonly linkId: string; readonly userId: string } | null>
  /** Turns the memberships of a person outside of these workspaces into invitations without a link. */
  suspendOutside(transaction: Transaction, userId: string, workspaceIds: readonly number[]): Promise<void>
}

/** Hashing and checking of passwords. `hash` and `verify` throw `unavailable` when too many wait. */
export interface PasswordHashes {
  hash(password: string): Promise<string>
  /** False for `null`, which is nobody's; takes the same time. */
  verify(password: string, stored: string | null): Promise<boolean>
  /** What is wrong with a password that somebody chooses, as the rest of a sentence about its field. */
  findProblem(password: string, email: string): Promise<string | null>
}

/** Where a request comes from, as the audit log keeps it. */
export interface RequestOrigin {
  readonly ip: string
  readonly requestId: string
}
