import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { SealedValueError, type Secrets } from '../../kernel/security/secrets.ts'

/** First byte of every sealed value: another algorithm or layout gets another number, and both can be read for a while. */
const VERSION = 1
const KEY_ID_BYTES = 4
/** 96 bits, the length that GCM is made for (NIST SP 800-38D); random ones are safe for 2^32 values per key. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES

const WRONG_KEY =
  'A stored secret was sealed with another key: start Parley with the SECRET_KEY, or the secret.key file in DATA_DIR, ' +
  'that was in use when it was stored, or store the secret again.'
const DAMAGED = 'A stored secret is damaged or belongs to another place: store it again or restore a backup.'

/**
 * Seals with AES-256-GCM. Layout, base64url: version, id of the key, nonce, tag, ciphertext; version, key id and purpose are
 * authenticated with it. The id tells a wrong key from a damaged value.
 */
export function createSecrets(secretKey: string): Secrets {
  const key = derive(secretKey, 'seal', 32)
  const keyId = derive(secretKey, 'key id', KEY_ID_BYTES)
  const prefix = Buffer.from([VERSION, ...keyId])
  const additionalData = (purpose: string): Buffer => Buffer.concat([prefix, Buffer.from(purpose, 'utf8')])

  return {
    seal(plaintext, purpose) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(
        additionalData(purpose),
      )
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([prefix, nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION) throw new SealedValueError('damaged', DAMAGED)
      if (!bytes.subarray(1, 1 + KEY_ID_BYTES).equals(keyId)) throw new SealedValueError('wrong-key', WRONG_KEY)
      const nonceEnd = 1 + KEY_ID_BYTES + NONCE_BYTES
      try {
        const nonce = bytes.subarray(1 + KEY_ID_BYTES, nonceEnd)
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
          .setAAD(additionalData(purpose))
          .setAuthTag(bytes.subarray(nonceEnd, HEADER_BYTES))
        return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES)), decipher.final()]).toString('utf8')
      } catch {
        throw new SealedValueError('damaged', DAMAGED)
      }
    },
  }
}

/** HKDF with SHA-256 (RFC 5869): any long secret becomes keys that tell nothing about each other. */
function derive(secretKey: string, use: string, sizeBytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(secretKey, 'utf8'), 'parley', use, sizeBytes))
}
