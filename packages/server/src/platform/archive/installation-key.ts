import { sql } from 'kysely'
import { SealedValueError } from '../../kernel/security/secrets.ts'
import { fingerprintOf } from '../secrets/installation.ts'
import { createSecrets } from '../secrets/sealed-secrets.ts'
import { ArchiveError } from './archive-error.ts'
import type { Connection } from './connection.ts'

/** Where values are that only the key opens. */
const SEALED_COLUMNS = [
  { table: 'signing_secrets', column: 'ciphertext' },
  { table: 'provider_keys', column: 'ciphertext' },
] as const

/** Refuses a key that is not the one of the installation: by its fingerprint, and by the newest secrets. */
export async function assertKeyOpensSecrets(connection: Connection, secretKey: string): Promise<void> {
  const secrets = createSecrets(secretKey)
  const tables = new Set((await connection.describeTables()).map(({ name }) => name))
  const wrong = new ArchiveError(
    `The secret key is not the one that ${connection.place} was used with: set its SECRET_KEY, or put its ` +
      'secret.key file into DATA_DIR.',
  )
  if (tables.has('installation')) {
    const { rows } = await sql<{ value: string }>`
      select value from installation where name = 'secret_key_fingerprint'
    `.execute(connection.kysely)
    if (rows.some(({ value }) => value !== fingerprintOf(secretKey))) throw wrong
  }
  for (const { table, column } of SEALED_COLUMNS) {
    if (!tables.has(table)) continue
    const { rows } = await sql<{ sealed: string }>`
      select ${sql.ref(column)} as sealed from ${sql.table(table)} order by created_at desc limit 1
    `.execute(connection.kysely)
    const [row] = rows
    if (row !== undefined && failsWithWrongKey(() => secrets.open(row.sealed, 'any'))) throw wrong
  }
}

/** The key is looked at before the purpose, so that another purpose than its own tells it as well. */
function failsWithWrongKey(decrypt: () => string): boolean {
  try {
    decrypt()
    return false
  } catch (error) {
    return error instanceof SealedValueError && error.reason === 'wrong-key'
  }
}
