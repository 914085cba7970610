import { hkdfSync } from 'node:crypto'
import type { Database, Transaction } from '../../kernel/storage/database.ts'

const FINGERPRINT_BYTES = 8

/**
 * The id of the database's installation, created at the first start. Throws for another secret key, since this node and the
 * others could not open each other's secrets.
 */
export async function identifyInstallation(
  database: Pick<Database, 'transaction'>,
  secretKey: string,
  makeUuid: () => string,
): Promise<string> {
  return await database.transaction(async (transaction) => {
    const fingerprint = await keep(transaction, 'secret_key_fingerprint', fingerprintOf(secretKey))
    if (fingerprint !== fingerprintOf(secretKey)) {
      throw new Error(
        'This database belongs to an installation with another secret key: start Parley with the SECRET_KEY of its other ' +
          'nodes, or with the content of secret.key in its DATA_DIR.',
      )
    }
    return await keep(transaction, 'id', makeUuid())
  })
}

/** Distinguishes keys without revealing anything about them. */
export function fingerprintOf(secretKey: string): string {
  return Buffer.from(hkdfSync('sha256', secretKey, 'parley', 'fingerprint', FINGERPRINT_BYTES)).toString('hex')
}

/** Returns the stored value of the name; stores and returns `value` when there is none. */
async function keep(transaction: Transaction, name: string, value: string): Promise<string> {
  const known = await transaction.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst()
  if (known !== undefined) return known.value
  await transaction.insertInto('installation').values({ name, value }).execute()
  return value
}
