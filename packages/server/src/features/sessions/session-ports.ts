/** What logins need of whoever decides about access. */
export interface SessionAccess {
  /** Of a cookie or link, the only form in which it is stored. */
  hashToken(token: string): string
  /** After logins or passwords have changed. */
  forget(): void
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
