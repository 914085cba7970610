import type { Provider } from '@parley/contract/provider'
import type { WithEditCount } from '../../kernel/api/edits.ts'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { ProviderRow } from '../../tables/tenancy-tables.ts'

function toReseller(row: ProviderRow): Provider {
  return {
    providerId: row.provider_id,
    slug: row.slug,
    name: row.name,
    markupPercent: row.markup_percent,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }
}

function attachEditCount(row: ProviderRow): WithEditCount<Provider> {
  return { response: toReseller(row), editCount: row.edit_count }
}

/** Lists resellers, newest first. A `providerId` limits the list to that reseller. */
export async function findResellers(
  reader: Reader,
  providerId: string | null,
  page: PageRequest,
): Promise<Page<Provider>> {
  let query = reader.selectFrom('providers').selectAll()
  if (providerId !== null) query = query.where('provider_id', '=', providerId)
  return await readNewest(query, page, ['created_at', 'provider_id'], toReseller)
}

export async function findReseller(reader: Reader, providerId: string): Promise<WithEditCount<Provider> | null> {
  const row = await reader.selectFrom('providers').selectAll().where('provider_id', '=', providerId).executeTakeFirst()
  return row === undefined ? null : attachEditCount(row)
}

/** Inserts a reseller and returns it, or null if its slug is taken. */
export async function insertReseller(
  transaction: Transaction,
  row: ProviderRow,
): Promise<WithEditCount<Provider> | null> {
  const insertedRow = await transaction
    .insertInto('providers')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst()
  return insertedRow === undefined ? null : attachEditCount(insertedRow)
}

export type ResellerChanges = Partial<Pick<ProviderRow, 'name' | 'markup_percent'>>

/** Stores the given changes and counts the edit. */
export async function updateResellerRow(
  transaction: Transaction,
  providerId: string,
  changes: ResellerChanges & Pick<ProviderRow, 'updated_at'>,
): Promise<WithEditCount<Provider>> {
  const row = await transaction
    .updateTable('providers')
    .set((update) => ({ ...changes, edit_count: update('edit_count', '+', 1) }))
    .where('provider_id', '=', providerId)
    .returningAll()
    .executeTakeFirstOrThrow()
  return attachEditCount(row)
}

export async function hasTenants(reader: Reader, providerId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('tenants')
    .select('account_sid')
    .where('provider_id', '=', providerId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteResellerRow(transaction: Transaction, providerId: string): Promise<void> {
  await transaction.deleteFrom('providers').where('provider_id', '=', providerId).execute()
}
