import type { BrandingSettings } from '@parley/contract/branding'
import type { Reader, Transaction } from '../../kernel/database.ts'
import type { Brand } from './brand.ts'

/** What a tenant or provider has set; null when that is nothing. */
export async function findBrand(reader: Reader, ownerId: string): Promise<Brand | null> {
  const row = await reader
    .selectFrom('brandings')
    .select(['settings', 'domain'])
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (row === undefined) return null
  return { settings: JSON.parse(row.settings) as Partial<BrandingSettings>, domain: row.domain }
}

/** Whose brand a host name shows: a tenant's account sid or a provider id. */
export async function findOwnerOfDomain(reader: Reader, domain: string): Promise<string | null> {
  const row = await reader.selectFrom('brandings').select('owner_id').where('domain', '=', domain).executeTakeFirst()
  return row?.owner_id ?? null
}

/** The provider of a tenant; null when there is no such tenant. */
export async function findProviderOf(reader: Reader, accountSid: string): Promise<string | null> {
  const row = await reader
    .selectFrom('tenants')
    .select('provider_id')
    .where('account_sid', '=', accountSid)
    .executeTakeFirst()
  return row?.provider_id ?? null
}

export async function providerExists(reader: Reader, providerId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('providers')
    .select('provider_id')
    .where('provider_id', '=', providerId)
    .executeTakeFirst()
  return row !== undefined
}

export async function saveBrand(transaction: Transaction, ownerId: string, brand: Brand, now: number): Promise<void> {
  const values = { domain: brand.domain, settings: JSON.stringify(brand.settings), updated_at: now }
  await transaction
    .insertInto('brandings')
    .values({ owner_id: ownerId, created_at: now, ...values })
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet(values))
    .execute()
}

export async function deleteBrand(transaction: Transaction, ownerId: string): Promise<void> {
  await transaction.deleteFrom('brandings').where('owner_id', '=', ownerId).execute()
}
