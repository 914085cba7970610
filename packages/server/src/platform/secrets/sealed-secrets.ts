import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EncryptedValueError, type Secrets } from '../../kernel/security/secrets.ts'

/** First byte of every encrypted value. A new algorithm or layout needs a new number. */
const VERSION = 1
const KEY_ID_BYTES = 4
/** 96 bits, the standard length of GCM (NIST SP 800-38D). Random nonces are safe for 2^32 values per key. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES

const WRONG_KEY_MESSAGE =
  'A stored secret was encrypted with another key: start Parley with the SECRET_KEY, or the secret.key file in DATA_DIR, ' +
  'that was used to store it, or store the secret again.'
const DAMAGED_MESSAGE = 'A stored secret is damaged or belongs to another resource: store it again or restore a backup.'

/**
 * Encrypts secrets with AES-256-GCM. Layout, in base64url: version, key id, nonce, tag, ciphertext. Version, key id and
 * purpose are authenticated. The key id distinguishes a wrong key from a damaged value.
 */
export function createSecrets(secretKey: string): Secrets {
  const key = deriveKey(secretKey, 'seal', 32)
  const keyId = deriveKey(secretKey, 'key id', KEY_ID_BYTES)
  const prefix = Buffer.from([VERSION, ...keyId])
  const buildAdditionalData = (purpose: string): Buffer => Buffer.concat([prefix, Buffer.from(purpose, 'utf8')])

  return {
    encrypt(plaintext, purpose) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(
        buildAdditionalData(purpose),
      )
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([prefix, nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')
    },
    decrypt(encryptedText, purpose) {
      const bytes = Buffer.from(encryptedText, 'base64url')
      if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION) throw new EncryptedValueError('damaged', DAMAGED_MESSAGE)
      if (!bytes.subarray(1, 1 + KEY_ID_BYTES).equals(keyId))
        throw new EncryptedValueError('wrong-key', WRONG_KEY_MESSAGE)
      const nonceEnd = 1 + KEY_ID_BYTES + NONCE_BYTES
      try {
        const nonce = bytes.subarray(1 + KEY_ID_BYTES, nonceEnd)
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
          .setAAD(buildAdditionalData(purpose))
          .setAuthTag(bytes.subarray(nonceEnd, HEADER_BYTES))
        return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8')
      } catch {
        throw new EncryptedValueError('damaged', DAMAGED_MESSAGE)
      }
    },
  }
}

/** Derives independent keys from any long secret with HKDF and SHA-256 (RFC 5869). */
function deriveKey(secretKey: string, purpose: string, sizeBytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(secretKey, 'utf8'), 'parley', purpose, sizeBytes))
}

const FILE_NAME = 'secret.key'
const MIN_LENGTH = 32

interface SecretKeyOptions {
  /** The setting SECRET_KEY; undefined if not set. */
  readonly secretKey: string | undefined
  /** Existing folder for a generated key. */
  readonly dataDirectory: string
}

/** Loads the installation's key: the setting, or the key in the data folder, which is created on the first start. */
export async function loadSecretKey({ secretKey, dataDirectory }: SecretKeyOptions): Promise<string> {
  if (secretKey !== undefined) return checkKeyLength(secretKey, 'SECRET_KEY')
  const file = join(dataDirectory, FILE_NAME)
  const existing = await readIfExists(file)
  if (existing !== null) return checkKeyLength(existing.trim(), file)
  await createKeyFile(file)
  // Read back, because another process may have been faster.
  return checkKeyLength((await readFile(file, 'utf8')).trim(), file)
}

function checkKeyLength(key: string, source: string): string {
  if (key.length >= MIN_LENGTH) return key
  throw new Error(
    `${source} must hold at least ${MIN_LENGTH} characters: set a long random value, for example from "openssl rand -hex 32".`,
  )
}

async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Creates the file atomically: writes and flushes a draft first. `link` never replaces an existing key. */
async function createKeyFile(file: string): Promise<void> {
  const temporaryFile = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(temporaryFile, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString('hex')}\n`)
    await handle.sync()
    await link(temporaryFile, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await handle.close()
    await rm(temporaryFile, { force: true })
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
