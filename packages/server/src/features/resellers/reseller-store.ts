import type { Provider } from '@parley/contract/provider'
import type { WithEditCount } from '../../kernel/api/edits.ts'
import { isAfterPosition, type Page, type PageRequest, toPage } from '../../kernel/api/paging.ts'
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

function atEdit(row: ProviderRow): WithEditCount<Provider> {
  return { answer: toReseller(row), editCount: row.edit_count }
}

/** Newest first; only one where it is named. */
export async function findResellers(
  reader: Reader,
  only: string | null,
  { limit, after }: PageRequest,
): Promise<Page<Provider>> {
  let query = reader
    .selectFrom('providers')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('provider_id', 'desc')
    .limit(limit + 1)
  if (only !== null) query = query.where('provider_id', '=', only)
  query = query.where(isAfterPosition(after, 'created_at', 'provider_id'))
  return toPage(await query.execute(), limit, toReseller, (row) => ({ at: row.created_at, id: row.provider_id }))
}

export async function findReseller(reader: Reader, providerId: string): Promise<WithEditCount<Provider> | null> {
  const row = await reader.selectFrom('providers').selectAll().where('provider_id', '=', providerId).executeTakeFirst()
  return row === undefined ? null : atEdit(row)
}

/** Whether this is the provider that came with the installation. */
export async function isFirstReseller(reader: Reader, providerId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('providers')
    .select('provider_id')
    .orderBy('created_at')
    .orderBy('provider_id')
    .limit(1)
    .executeTakeFirst()
  return row?.provider_id === providerId
}

/** The new provider; null when its slug is taken. */
export async function insertReseller(
  transaction: Transaction,
  row: ProviderRow,
): Promise<WithEditCount<Provider> | null> {
  const inserted = await transaction
    .insertInto('providers')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst()
  return inserted === undefined ? null : atEdit(inserted)
}

/** What an edit may change. */
export type ResellerChanges = Partial<Pick<ProviderRow, 'name' | 'markup_percent'>>

/** Changes what is given and counts the edit. */
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
  return atEdit(row)
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
