import type { WorkspaceSecret } from '@parley/contract/workspace-secret'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { WorkspaceSecretRow } from '../../tables/tenancy-tables.ts'

/** In alphabetical order. */
export async function listSecrets(reader: Reader, workspaceId: number): Promise<WorkspaceSecret[]> {
  const rows = await reader
    .selectFrom('workspace_secrets')
    .select(['name', 'created_at', 'updated_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('name')
    .execute()
  return rows.map(toSecret)
}

/** The sealed values by name; those that do not exist are missing. */
export async function findSealed(
  reader: Reader,
  workspaceId: number,
  names: readonly string[],
): Promise<readonly Pick<WorkspaceSecretRow, 'name' | 'ciphertext'>[]> {
  return await reader
    .selectFrom('workspace_secrets')
    .select(['name', 'ciphertext'])
    .where('workspace_id', '=', workspaceId)
    .where('name', 'in', names)
    .execute()
}

export async function insertSecret(transaction: Transaction, secret: WorkspaceSecretRow): Promise<void> {
  await transaction.insertInto('workspace_secrets').values(secret).execute()
}

/** Answers when the secret was created; `null` when it does not exist. */
export async function replaceSecret(transaction: Transaction, secret: WorkspaceSecretRow): Promise<number | null> {
  const row = await transaction
    .updateTable('workspace_secrets')
    .set({ ciphertext: secret.ciphertext, updated_at: secret.updated_at })
    .where('workspace_id', '=', secret.workspace_id)
    .where('name', '=', secret.name)
    .returning('created_at')
    .executeTakeFirst()
  return row?.created_at ?? null
}

export async function countSecrets(transaction: Transaction, workspaceId: number): Promise<number> {
  const { count } = await transaction
    .selectFrom('workspace_secrets')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** False when it does not exist. */
export async function removeSecret(transaction: Transaction, workspaceId: number, name: string): Promise<boolean> {
  const row = await transaction
    .deleteFrom('workspace_secrets')
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', name)
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}

export function toSecret(row: Pick<WorkspaceSecretRow, 'name' | 'created_at' | 'updated_at'>): WorkspaceSecret {
  return {
    name: row.name,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }
}
