import { hkdfSync } from 'node:crypto'
import type { Database, Transaction } from '../../kernel/storage/database.ts'

const FINGERPRINT_BYTES = 8

/**
 * Returns the id of the database's installation, which is created on the first start. Throws if the secret key differs, because
 * this node and the other nodes could not decrypt each other's secrets.
 */
export async function identifyInstallation(
  database: Pick<Database, 'transaction'>,
  secretKey: string,
  makeUuid: () => string,
): Promise<string> {
  return await database.transaction(async (transaction) => {
    const fingerprint = await readOrStoreValue(transaction, 'secret_key_fingerprint', computeFingerprint(secretKey))
    if (fingerprint !== computeFingerprint(secretKey)) {
      throw new Error(
        'This database belongs to an installation with another secret key: start Parley with the SECRET_KEY of its other ' +
          'nodes, or with the content of secret.key in its DATA_DIR.',
      )
    }
    return await readOrStoreValue(transaction, 'id', makeUuid())
  })
}

/** Returns a fingerprint that distinguishes keys without revealing anything about them. */
export function computeFingerprint(secretKey: string): string {
  return Buffer.from(hkdfSync('sha256', secretKey, 'parley', 'fingerprint', FINGERPRINT_BYTES)).toString('hex')
}

/** Returns the stored value of the name. If there is none, stores and returns `value`. */
async function readOrStoreValue(transaction: Transaction, name: string, value: string): Promise<string> {
  const existing = await transaction
    .selectFrom('installation')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  if (existing !== undefined) return existing.value
  await transaction.insertInto('installation').values({ name, value }).execute()
  return value
}
