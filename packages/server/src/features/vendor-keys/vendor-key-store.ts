import type { ProviderKey } from '@parley/contract/provider-key'
import { type PageRequest, selectNewest } from '../../kernel/api/paging.ts'
import { splitIntoChunks } from '../../kernel/storage/chunks.ts'
import type { BatchStatement, Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { ProviderKeyRow } from '../../tables/tenancy-tables.ts'
import { type KeyOwner, listOwners } from './key-owner.ts'

/** An API key for an external service. */
export interface VendorKey {
  readonly apiKey: string
  /** Base URL, or null for the service's default. */
  readonly baseUrl: string | null
  /**
   * Whether a customer set the key, rather than the operator. Requests to a customer's `baseUrl` must pass the outbound
   * guard.
   */
  readonly isStored: boolean
  /** Whether other workspaces can use the same account, because the key belongs to a tenant, a reseller or the operator. */
  readonly isShared: boolean
}

export type KeyedVendor = 'openai' | 'anthropic' | 'deepgram' | 'elevenlabs' | 'cartesia'

export interface VendorKeys {
  /**
   * Returns the first available key of the workspace, its tenant, its reseller and the operator, or null if there is none.
   */
  findKey(workspaceId: number, service: KeyedVendor): Promise<VendorKey | null>
}

/** Tests keys at their vendors. Never rejects. */
export interface KeyTester {
  /** Sends one request without cost. The message contains no key. */
  test(vendor: KeyedVendor, key: VendorKey): Promise<{ readonly ok: boolean; readonly message: string }>
}

/** Maximum number of owners per query. */
const OWNERS_PER_QUERY = 400

const OWNER_COLUMNS = { workspace: 'workspace_id', tenant: 'account_sid', provider: 'provider_id' } as const

/** A stored key. */
export interface StoredKey {
  readonly key: ProviderKey
  readonly owner: KeyOwner
  readonly ciphertext: string
}

/** A new key with fields that responses omit. */
interface NewKey {
  readonly providerKeyId: string
  readonly service: KeyedVendor
  readonly owner: KeyOwner
  readonly ciphertext: string
  readonly lastFour: string
  readonly baseUrl: string | null
  readonly now: number
}

/**
 * Builds the statement that inserts a key. Each owner can have one key per service.
 */
export function buildInsertKeyStatement(database: Pick<Database, 'queryBuilder'>, key: NewKey): BatchStatement {
  const { owner } = key
  const row: ProviderKeyRow = {
    provider_key_id: key.providerKeyId,
    service: key.service,
    workspace_id: owner.kind === 'workspace' ? owner.id : null,
    account_sid: owner.kind === 'tenant' ? owner.id : null,
    provider_id: owner.kind === 'provider' ? owner.id : null,
    ciphertext: key.ciphertext,
    last_four: key.lastFour,
    base_url: key.baseUrl,
    created_at: key.now,
    updated_at: key.now,
  }
  return { query: database.queryBuilder.insertInto('provider_keys').values(row).compile() }
}

export async function findKey(reader: Reader, providerKeyId: string): Promise<StoredKey | null> {
  const row = await reader
    .selectFrom('provider_keys')
    .selectAll()
    .where('provider_key_id', '=', providerKeyId)
    .executeTakeFirst()
  if (row === undefined) return null
  const key = toKey(row)
  const owner = listOwners(key)[0]
  return owner === undefined ? null : { key, owner, ciphertext: row.ciphertext }
}

/** Changes to a key. If `secret` is absent, the key keeps its secret. */
interface KeyChanges {
  readonly secret?: { readonly ciphertext: string; readonly lastFour: string }
  readonly baseUrl: string | null
  readonly now: number
}

export async function updateKey(transaction: Transaction, id: string, changes: KeyChanges): Promise<void> {
  const { secret } = changes
  await transaction
    .updateTable('provider_keys')
    .set({
      base_url: changes.baseUrl,
      updated_at: changes.now,
      ...(secret === undefined ? {} : { ciphertext: secret.ciphertext, last_four: secret.lastFour }),
    })
    .where('provider_key_id', '=', id)
    .execute()
}

export async function removeKey(transaction: Transaction, providerKeyId: string): Promise<void> {
  await transaction.deleteFrom('provider_keys').where('provider_key_id', '=', providerKeyId).execute()
}

/** Lists the owners' keys, newest first. Returns one extra key if there is another page. */
export async function listKeys(
  reader: Reader,
  owners: readonly KeyOwner[] | 'all',
  page: PageRequest,
): Promise<readonly ProviderKey[]> {
  const selectNewestKeys = (batch: OwnersByKind | null) => {
    let query = reader.selectFrom('provider_keys').selectAll()
    if (batch !== null) query = query.where(OWNER_COLUMNS[batch.kind], 'in', [...batch.ids])
    return selectNewest(query, page, ['created_at', 'provider_key_id']).execute()
  }
  const rowsByOwnerKind = await Promise.all(
    owners === 'all' ? [selectNewestKeys(null)] : groupOwnersByKind(owners).map(selectNewestKeys),
  )
  const rows = rowsByOwnerKind
    .flat()
    .sort((a, b) => b.created_at - a.created_at || (a.provider_key_id < b.provider_key_id ? 1 : -1))
  return rows.slice(0, page.limit + 1).map(toKey)
}

interface OwnersByKind {
  readonly kind: KeyOwner['kind']
  readonly ids: readonly (string | number)[]
}

function groupOwnersByKind(owners: readonly KeyOwner[]): OwnersByKind[] {
  return (['workspace', 'tenant', 'provider'] as const).flatMap((kind) => {
    const ids = owners.filter((owner) => owner.kind === kind).map(({ id }) => id)
    return splitIntoChunks(ids, OWNERS_PER_QUERY).map((batch) => ({ kind, ids: batch }))
  })
}

/** An encrypted key and its base URL. */
export interface EncryptedKey {
  readonly service: string
  readonly ciphertext: string
  readonly baseUrl: string | null
  readonly isShared: boolean
}

/** Finds the keys that a workspace may use, ordered from workspace to reseller. */
export async function findUsableKeys(reader: Reader, owners: readonly KeyOwner[]): Promise<readonly EncryptedKey[]> {
  if (owners.length === 0) return []
  const rows = await reader
    .selectFrom('provider_keys')
    .selectAll()
    .where((where) => where.or(owners.map(({ kind, id }) => where(OWNER_COLUMNS[kind], '=', id))))
    .execute()
  const getOwnerDistance = (row: ProviderKeyRow) => (row.workspace_id !== null ? 0 : row.account_sid !== null ? 1 : 2)
  return rows
    .sort((a, b) => getOwnerDistance(a) - getOwnerDistance(b))
    .map((row) => ({
      service: row.service,
      ciphertext: row.ciphertext,
      baseUrl: row.base_url,
      isShared: row.workspace_id === null,
    }))
}

function toKey(row: ProviderKeyRow): ProviderKey {
  return {
    providerKeyId: row.provider_key_id,
    // The column contains only values of the contract's list.
    service: row.service as KeyedVendor,
    workspaceId: row.workspace_id,
    tenantId: row.account_sid,
    providerId: row.provider_id,
    lastFour: row.last_four,
    baseUrl: row.base_url,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }
}
