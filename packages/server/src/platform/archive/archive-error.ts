/** Moving, backing up or restoring cannot go on: one sentence that says what to do. */
export class ArchiveError extends Error {}

/** The command was asked to end. */
export class StoppedError extends ArchiveError {}

interface CodedError {
  readonly code?: unknown
  readonly errcode?: unknown
  readonly path?: unknown
  readonly message?: unknown
}

const FILE_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be used by this user: check owner and permissions',
  EPERM: 'may not be used by this user: check owner and permissions',
  EROFS: 'lies on a read-only file system',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'lies below something that is no folder',
  ENOSPC: 'cannot be written: the disk is full. Make room and try again',
  EDQUOT: 'cannot be written: the quota is used up. Make room and try again',
  EEXIST: 'exists already: name another one',
}

const NETWORK_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections: check address and port, and that the server runs',
  ENOTFOUND: 'is not known by that name: check the host in the address',
  EAI_AGAIN: 'cannot be looked up now: check the host in the address and the network',
  ETIMEDOUT: 'does not answer: check address, port and firewalls',
  EHOSTUNREACH: 'cannot be reached: check address and network',
  ECONNRESET: 'ended the connection: try again',
  EPIPE: 'ended the connection: try again',
}

/** SQLSTATE codes or their classes, longest first: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SERVER_FAILURES: readonly (readonly [string, string])[] = [
  ['28', 'refuses the login: check user and password in the address'],
  ['3D000', 'has no such database: create it first ("createdb"), empty and with encoding UTF8'],
  ['42501', 'does not permit it: give the user of the address all rights in the database and its schema'],
  ['53100', 'has no space left: make room and try again'],
  ['53', 'is short of connections or memory: try again'],
  ['22021', 'cannot store a text of the source: it holds a character that PostgreSQL does not take'],
  ['22P05', 'cannot store a text of the source: create the database with encoding UTF8'],
  ['25006', 'is read-only: name the primary server'],
  ['57', 'is stopping, starting or took too long: try again'],
  ['08', 'ended the connection: try again'],
]

const SQLITE_FAILURES: Readonly<Record<number, string>> = {
  5: 'is being written by another process: stop it first',
  8: 'cannot be written: check owner and permissions',
  10: 'cannot be read or written: the disk reports an error',
  11: 'is damaged: restore a backup',
  13: 'cannot be written: the disk is full. Make room and try again',
  14: 'cannot be opened: check that it exists, and owner and permissions of file and folder',
  26: 'is not a database of Parley',
}

/** What went wrong with `place`, as one sentence without secrets; null for a fault of the program. */
export function explainFailure(error: unknown, place: string): string | null {
  if (error instanceof ArchiveError) return error.message
  const reason = reasonOf(error as CodedError)
  if (reason === null) return null
  const { path } = error as CodedError
  return `${typeof path === 'string' ? path : place} ${reason}.`
}

/** The error with its sentence about `place`, when there is one. */
export function withLocation(error: unknown, place: string): unknown {
  const sentence = explainFailure(error, place)
  return sentence === null || error instanceof ArchiveError ? error : new ArchiveError(sentence, { cause: error })
}

function reasonOf(error: CodedError): string | null {
  if (typeof error !== 'object' || error === null) return null
  if (typeof error.errcode === 'number') return SQLITE_FAILURES[error.errcode & 0xff] ?? null
  const { code, message } = error
  if (typeof code === 'string') {
    const known = FILE_FAILURES[code] ?? NETWORK_FAILURES[code]
    if (known !== undefined) return known
    return SERVER_FAILURES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? null
  }
  // The driver has plain errors for connections that end or never come about.
  const text = typeof message === 'string' ? message : ''
  if (/password must be a string/i.test(text)) return 'asks for a password: set PGPASSWORD, or put it into the address'
  if (/timeout/i.test(text)) return 'does not answer: check address, port and firewalls'
  if (/connection (terminated|ended|error)/i.test(text)) return 'ended the connection: try again'
  return null
}
