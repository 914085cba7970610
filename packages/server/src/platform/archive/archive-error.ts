/** A problem that prevents moving, backing up or restoring. The message is one sentence that tells the operator what to do. */
export class ArchiveError extends Error {}

/** Thrown if the command was interrupted. */
export class StoppedError extends ArchiveError {}

interface CodedError {
  readonly code?: unknown
  readonly errcode?: unknown
  readonly path?: unknown
  readonly message?: unknown
}

const FILE_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'is not accessible to this user: check its owner and permissions',
  EPERM: 'is not accessible to this user: check its owner and permissions',
  EROFS: 'is on a read-only file system',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'has a parent that is not a folder',
  ENOSPC: 'cannot be written: the disk is full. Free some space and try again',
  EDQUOT: 'cannot be written: the disk quota is used up. Free some space and try again',
  EEXIST: 'already exists: choose another path',
}

const NETWORK_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections: check the address and port, and that the server is running',
  ENOTFOUND: 'cannot be resolved: check the host in the address',
  EAI_AGAIN: 'cannot be resolved now: check the host in the address and the network',
  ETIMEDOUT: 'does not respond: check the address, port and firewalls',
  EHOSTUNREACH: 'cannot be reached: check the address and network',
  ECONNRESET: 'closed the connection: try again',
  EPIPE: 'closed the connection: try again',
}

/** SQLSTATE codes or their classes, longest first: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SERVER_FAILURES: readonly (readonly [string, string])[] = [
  ['28', 'rejects the login: check the user and password in the address'],
  ['3D000', 'does not exist: create an empty database with encoding UTF8 first ("createdb")'],
  ['42501', 'denies access: grant the user all rights in the database and its schema'],
  ['53100', 'has no disk space left: free some and try again'],
  ['53', 'is short of connections or memory: try again'],
  ['22021', 'cannot store a text from the source: it contains a character that PostgreSQL does not support'],
  ['22P05', 'cannot store a text from the source: create the database with encoding UTF8'],
  ['25006', 'is read-only: use the address of the primary server'],
  ['57', 'is stopping, starting or took too long: try again'],
  ['08', 'closed the connection: try again'],
]

const SQLITE_FAILURES: Readonly<Record<number, string>> = {
  5: 'is in use by another process: stop it first',
  8: 'cannot be written: check its owner and permissions',
  10: 'cannot be read or written: the disk reports an error',
  11: 'is damaged: restore a backup',
  13: 'cannot be written: the disk is full. Free some space and try again',
  14: 'cannot be opened: check that it exists, and check the owner and permissions of the file and its folder',
  26: 'is not a Parley database',
}

/** Explains in one sentence, without secrets, what failed at `location`. Returns null for unexpected errors. */
export function explainFailure(error: unknown, location: string): string | null {
  if (error instanceof ArchiveError) return error.message
  const reason = findReason(error as CodedError)
  if (reason === null) return null
  const { path } = error as CodedError
  return `${typeof path === 'string' ? path : location} ${reason}.`
}

/** Replaces the error with a sentence that explains it and names `location`, if there is one. */
export function addLocation(error: unknown, location: string): unknown {
  const sentence = explainFailure(error, location)
  return sentence === null || error instanceof ArchiveError ? error : new ArchiveError(sentence, { cause: error })
}

function findReason(error: CodedError): string | null {
  if (typeof error !== 'object' || error === null) return null
  if (typeof error.errcode === 'number') return SQLITE_FAILURES[error.errcode & 0xff] ?? null
  const { code, message } = error
  if (typeof code === 'string') {
    const knownReason = FILE_FAILURES[code] ?? NETWORK_FAILURES[code]
    if (knownReason !== undefined) return knownReason
    return SERVER_FAILURES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? null
  }
  // The driver reports failed connections as plain errors.
  const text = typeof message === 'string' ? message : ''
  if (/password must be a string/i.test(text)) return 'requires a password: set PGPASSWORD, or add it to the address'
  if (/timeout/i.test(text)) return 'does not respond: check the address, port and firewalls'
  if (/connection (terminated|ended|error)/i.test(text)) return 'closed the connection: try again'
  return null
}
