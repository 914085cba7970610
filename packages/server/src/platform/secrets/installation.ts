import { hkdfSync } from 'node:crypto'
import type { Database, Transaction } from '../../kernel/storage/database.ts'

const FINGERPRINT_BYTES = 8

/**
 * The id of the installation that the database belongs to, made at the first start. Throws where it has been used with another
 * secret key: what is sealed could not be opened, and what this node seals not by the others.
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
          'nodes, or with what secret.key in its DATA_DIR holds.',
      )
    }
    return await keep(transaction, 'id', makeUuid())
  })
}

/** Tells keys apart and nothing about them. */
export function fingerprintOf(secretKey: string): string {
  return Buffer.from(hkdfSync('sha256', secretKey, 'parley', 'fingerprint', FINGERPRINT_BYTES)).toString('hex')
}

/** What is stored under the name; `value` when nothing was. */
async function keep(transaction: Transaction, name: string, value: string): Promise<string> {
  const known = await transaction.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst()
  if (known !== undefined) return known.value
  await transaction.insertInto('installation').values({ name, value }).execute()
  return value
}
