import { AppError } from '../../kernel/errors.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

/** Each derivation takes 64 MiB and most of a processor. */
const AT_ONCE = 2
/** Whoever comes behind these would wait for seconds. */
const MAX_WAITING = 20
const RETRY_AFTER_MS = 2_000

/** Hashing and checking of passwords as the server can afford it. `hash` and `verify` throw `unavailable` when too many wait. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** False for `null`, which is nobody's; takes the same time. */
  verify(password: string, stored: string | null): Promise<boolean>
  readonly findProblem: FindPasswordProblem
}

/** At most two derivations at once; twenty more may wait. */
export function createPasswords(): Passwords {
  const enter = createGate(AT_ONCE, MAX_WAITING)
  return {
    hash: (password) => enter(() => hashPassword(password)),
    verify: (password, stored) => enter(() => verifyPassword(password, stored)),
    findProblem: createPasswordProblems(),
  }
}

/** Lets so much work run at once and so much wait, in the order of arrival; refuses the rest with `unavailable`. */
export function createGate(atOnce: number, maxWaiting: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < atOnce) {
      running += 1
    } else {
      if (waiting.length >= maxWaiting) {
        throw new AppError('unavailable', 'Too many passwords are checked right now. Try again shortly.', {
          retryAfterMs: RETRY_AFTER_MS,
        })
      }
      // Whoever leaves hands its place on, so that nobody slips in between.
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

/** Says what is wrong with a password that somebody chooses, as the rest of a sentence about its field; null when nothing is. */
export type FindPasswordProblem = (password: string, email: string) => Promise<string | null>

/** Refuses the most used passwords, whatever their case, and the person's e-mail address. The list is loaded once it is needed. */
export function createPasswordProblems(): FindPasswordProblem {
  let loading: Promise<ReadonlySet<string>> | null = null
  return async (password, email) => {
    const chosen = password.trim().toLowerCase()
    if (chosen === email.trim().toLowerCase()) return 'must not be the e-mail address; choose another password'
    loading ??= loadCommonPasswords()
    return (await loading).has(chosen) ? 'must not be one of the most used passwords; choose another one' : null
  }
}

async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map((password) => String(password).toLowerCase()))
}
