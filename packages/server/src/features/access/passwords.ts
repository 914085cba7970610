import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '../../kernel/errors.ts'

/** Maximum number of concurrent derivations. Each derivation takes 64 MiB and most of a processor. */
const MAX_CONCURRENT_DERIVATIONS = 2
/** Maximum queue length. A longer queue would delay requests by seconds. */
const MAX_WAITING = 20
const RETRY_AFTER_MS = 2_000

/** Hashes and verifies passwords with bounded memory. Both methods throw `unavailable` if the queue is full. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** Whether the password matches the stored hash. Takes as long for a `null` hash as for a wrong password. */
  verify(password: string, storedHash: string | null): Promise<boolean>
  readonly findProblem: FindPasswordProblem
}

export function createPasswords(): Passwords {
  const runLimited = createTaskLimiter(MAX_CONCURRENT_DERIVATIONS, MAX_WAITING)
  return {
    hash: (password) => runLimited(() => hashPassword(password)),
    verify: (password, storedHash) => runLimited(() => verifyPassword(password, storedHash)),
    findProblem: createPasswordProblemFinder(),
  }
}

/**
 * Creates a function that runs up to `maxConcurrent` tasks at a time and queues up to `maxWaiting` more. It rejects further
 * tasks with `unavailable`.
 */
export function createTaskLimiter(maxConcurrent: number, maxWaiting: number) {
  const queue: (() => void)[] = []
  let runningCount = 0
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (runningCount < maxConcurrent) {
      runningCount += 1
    } else {
      if (queue.length >= maxWaiting) {
        throw new AppError('unavailable', 'Too many passwords are being checked. Try again shortly.', {
          retryAfterMs: RETRY_AFTER_MS,
        })
      }
      // A finished task passes its slot directly to the next task, so that no new task overtakes the queue.
      await new Promise<void>((resolve) => queue.push(resolve))
    }
    try {
      return await task()
    } finally {
      const next = queue.shift()
      if (next === undefined) runningCount -= 1
      else next()
    }
  }
}

/** Returns the reason why a new password is not allowed, such as "must not be …", or null if it is allowed. */
export type FindPasswordProblem = (password: string, email: string) => Promise<string | null>

/** Creates a function that rejects common passwords and the user's email address, ignoring case. Loads the list on first use. */
export function createPasswordProblemFinder(): FindPasswordProblem {
  let passwordsPromise: Promise<ReadonlySet<string>> | null = null
  return async (password, email) => {
    const candidate = password.trim().toLowerCase()
    if (candidate === email.trim().toLowerCase()) return 'must not be the e-mail address; choose another password'
    passwordsPromise ??= loadCommonPasswords()
    return (await passwordsPromise).has(candidate)
      ? 'must not be one of the most used passwords; choose another one'
      : null
  }
}

async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map((password) => String(password).toLowerCase()))
}

/** RFC 9106, second recommended option: 64 MiB, 3 passes. */
const ARGON2 = { memory: 65_536, passes: 3, parallelism: 4, tagLength: 32 } as const
const HASH_PATTERN = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const deriveKey = promisify(argon2)

/** Hashes a password with argon2id in PHC string format, so that the parameters can change later. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await deriveKey('argon2id', { message: password, nonce, ...ARGON2 })
  const encodeBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/(?<!=)=+$/, '')
  return `$argon2id$v=19$m=${ARGON2.memory},t=${ARGON2.passes},p=${ARGON2.parallelism}$${encodeBase64(nonce)}$${encodeBase64(tag)}`
}

/** Random bytes that no known password matches. */
const DUMMY_HASH = {
  nonce: 'kM9tJ4mVw0c3Xr1Yq7uZ5A',
  tag: 'p3Vt0Nf8mQ2bS6hYxL1cWd9uRk7eJ4aGzT5oIvB0nHs',
} as const

/**
 * Whether the password matches the hash. Invalid hashes and `null` take as long as real ones, so that timing does not reveal
 * which users exist.
 */
async function verifyPassword(password: string, storedHash: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, nonce = '', tag = ''] = HASH_PATTERN.exec(storedHash ?? '') ?? []
  const isValidHash = memory !== undefined
  const expectedTag = Buffer.from(isValidHash ? tag : DUMMY_HASH.tag, 'base64')
  const actualTag = await deriveKey('argon2id', {
    message: password,
    nonce: Buffer.from(isValidHash ? nonce : DUMMY_HASH.nonce, 'base64'),
    memory: isValidHash ? Number(memory) : ARGON2.memory,
    passes: isValidHash ? Number(passes) : ARGON2.passes,
    parallelism: isValidHash ? Number(parallelism) : ARGON2.parallelism,
    tagLength: expectedTag.length,
  })
  return timingSafeEqual(actualTag, expectedTag) && isValidHash
}
