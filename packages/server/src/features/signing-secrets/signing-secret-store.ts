import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { SigningSecretRow } from '../../tables/tenancy-tables.ts'

/** Secrets that have not expired, newest first. */
export async function findActiveSecrets(
  reader: Reader,
  workspaceId: number,
  now: number,
): Promise<readonly SigningSecretRow[]> {
  const rows = await reader
    .selectFrom('signing_secrets')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('secret_id', 'desc')
    .execute()
  // Rotated twice within a millisecond, the one without an end is still the newest.
  return [...rows.filter((row) => row.expires_at === null), ...rows.filter((row) => row.expires_at !== null)]
}

export async function insertSecret(transaction: Transaction, secret: SigningSecretRow): Promise<void> {
  await transaction.insertInto('signing_secrets').values(secret).execute()
}

/** Gives every secret that has none an end. */
export async function expireSecrets(transaction: Transaction, workspaceId: number, expiresAt: number): Promise<void> {
  await transaction
    .updateTable('signing_secrets')
    .set({ expires_at: expiresAt })
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', 'is', null)
    .execute()
}

export async function dropExpiredSecrets(transaction: Transaction, workspaceId: number, now: number): Promise<void> {
  await transaction
    .deleteFrom('signing_secrets')
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '<=', now)
    .execute()
}
