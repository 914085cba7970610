import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** RFC 9106's second recommended option: 64 MiB, 3 passes. */
const ARGON2 = { memory: 65_536, passes: 3, parallelism: 4, tagLength: 32 } as const
const HASH_FORMAT = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const derive = promisify(argon2)

/** argon2id in the PHC string format, so that parameters can change later. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: password, nonce, ...ARGON2 })
  const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/(?<!=)=+$/, '')
  return `$argon2id$v=19$m=${ARGON2.memory},t=${ARGON2.passes},p=${ARGON2.parallelism}$${base64(nonce)}$${base64(tag)}`
}

/** Made of random bytes with the parameters above: no known password made it. */
const DUMMY_HASH = {
  nonce: 'kM9tJ4mVw0c3Xr1Yq7uZ5A',
  tag: 'p3Vt0Nf8mQ2bS6hYxL1cWd9uRk7eJ4aGzT5oIvB0nHs',
} as const

/**
 * Whether the password made this hash; false for what is no hash, such as that of a person without a password, and for
 * `null`, nobody's. Those take as long as the others, so that the time does not tell who exists.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, nonce = '', tag = ''] = HASH_FORMAT.exec(stored ?? '') ?? []
  const isHash = memory !== undefined
  const expected = Buffer.from(isHash ? tag : DUMMY_HASH.tag, 'base64')
  const actual = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(isHash ? nonce : DUMMY_HASH.nonce, 'base64'),
    memory: isHash ? Number(memory) : ARGON2.memory,
    passes: isHash ? Number(passes) : ARGON2.passes,
    parallelism: isHash ? Number(parallelism) : ARGON2.parallelism,
    tagLength: expected.length,
  })
  return timingSafeEqual(actual, expected) && isHash
}
