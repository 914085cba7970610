import type { BrandingSettings } from '@parley/contract/branding'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { Brand, DomainProof } from './brand.ts'

/** Returns an owner's brand, or null if the owner has none. */
export async function findBrand(reader: Reader, ownerId: string): Promise<Brand | null> {
  const row = await reader
    .selectFrom('brandings')
    .select(['settings', 'domain', 'domain_proof'])
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()
  if (row === undefined) return null
  const settings = JSON.parse(row.settings) as Partial<BrandingSettings>
  return { settings, domain: row.domain, proof: row.domain_proof as DomainProof | null }
}

/** Finds the owner that has verified the domain. `ownerId` is an account SID or a provider id. */
export async function findOwnerByDomain(
  reader: Reader,
  domain: string,
): Promise<{ readonly ownerId: string; readonly proof: DomainProof } | null> {
  const row = await reader
    .selectFrom('brandings')
    .select(['owner_id', 'domain_proof'])
    .where('domain', '=', domain)
    .where('domain_proof', 'is not', null)
    .executeTakeFirst()
  return row === undefined ? null : { ownerId: row.owner_id, proof: row.domain_proof as DomainProof }
}

/** Marks the owner's domain as verified and revokes another owner's verification of the same domain. */
export async function saveProof(
  transaction: Transaction,
  { ownerId, domain }: { readonly ownerId: string; readonly domain: string },
  proof: DomainProof,
): Promise<void> {
  await transaction
    .updateTable('brandings')
    .set({ domain_proof: null })
    .where('domain', '=', domain)
    .where('domain_proof', 'is not', null)
    .execute()
  await transaction
    .updateTable('brandings')
    .set({ domain_proof: proof })
    .where('owner_id', '=', ownerId)
    .where('domain', '=', domain)
    .execute()
}

/** Returns a tenant's reseller, or null if the tenant does not exist. */
export async function findResellerId(reader: Reader, accountSid: string): Promise<string | null> {
  const row = await reader
    .selectFrom('tenants')
    .select('provider_id')
    .where('account_sid', '=', accountSid)
    .executeTakeFirst()
  return row?.provider_id ?? null
}

export async function resellerExists(reader: Reader, providerId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('providers')
    .select('provider_id')
    .where('provider_id', '=', providerId)
    .executeTakeFirst()
  return row !== undefined
}

export async function saveBrand(transaction: Transaction, ownerId: string, brand: Brand, now: number): Promise<void> {
  const { domain, proof } = brand
  const values = { domain, domain_proof: proof, settings: JSON.stringify(brand.settings), updated_at: now }
  await transaction
    .insertInto('brandings')
    .values({ owner_id: ownerId, created_at: now, ...values })
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet(values))
    .execute()
}

export async function deleteBrand(transaction: Transaction, ownerId: string): Promise<void> {
  await transaction.deleteFrom('brandings').where('owner_id', '=', ownerId).execute()
}
