import type { Database } from '../storage/database.ts'

/**
 * Encrypts values for storage. A value encrypted for one `purpose`, such as `signing-secret`, cannot be decrypted for
 * another.
 */
export interface Secrets {
  /** Encrypts the text for storage. Returns a different value each time. */
  encrypt(plaintext: string, purpose: string): string
  /**
   * Decrypts an encrypted text.
   * @throws EncryptedValueError
   */
  decrypt(encryptedText: string, purpose: string): string
}

/**
 * A stored value that is damaged or encrypted with another key. The message explains the fix and contains no secret.
 */
export class EncryptedValueError extends Error {
  readonly reason: 'wrong-key' | 'damaged'

  constructor(reason: 'wrong-key' | 'damaged', message: string) {
    super(message)
    this.name = 'EncryptedValueError'
    this.reason = reason
  }
}

interface InstallationKeyDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'queryBuilder'>
  readonly secrets: Secrets
  readonly randomBytes: (size: number) => Uint8Array
}

const KEY_BYTES = 32
const KEY_NAME = 'call_token_key'

/**
 * Returns a function that loads the installation's signing key for call tokens and links. The key is created on first
 * use and shared by all nodes.
 */
export function createInstallationKey(dependencies: InstallationKeyDependencies): () => Promise<Uint8Array> {
  let keyPromise: Promise<Uint8Array> | null = null
  return async () => {
    keyPromise ??= loadOrCreateKey(dependencies)
    try {
      return await keyPromise
    } catch (error) {
      keyPromise = null
      throw error
    }
  }
}

async function loadOrCreateKey(dependencies: InstallationKeyDependencies): Promise<Uint8Array> {
  const { database, secrets } = dependencies
  const findRow = () =>
    database.read.selectFrom('installation').select('value').where('name', '=', KEY_NAME).executeTakeFirst()
  let row = await findRow()
  if (row === undefined) {
    const value = secrets.encrypt(Buffer.from(dependencies.randomBytes(KEY_BYTES)).toString('base64url'), KEY_NAME)
    const query = database.queryBuilder.insertInto('installation').values({ name: KEY_NAME, value })
    await database.batch([{ query: query.onConflict((conflict) => conflict.column('name').doNothing()).compile() }])
    row = await findRow()
  }
  if (row === undefined) throw new Error('the installation key was not stored')
  return Buffer.from(secrets.decrypt(row.value, KEY_NAME), 'base64url')
}
