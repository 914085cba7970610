import type { CreateProviderKeyBody, ProviderKey, UpdateProviderKeyBody } from '@parley/contract/provider-key'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import type { AccountDirectory } from '../../kernel/access/actor-context.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/api/paging.ts'
import { AppError, ConstraintError, invalidField } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import type { Database, Transaction } from '../../kernel/storage/database.ts'
import {
  checkMayManage,
  type KeyOwner,
  manageableOwners,
  mayManage,
  namedOwners,
  type OwnerFields,
} from './key-owner.ts'
import { findKey, insertKeyStatement, listKeys, removeKey, type StoredKey, updateKey } from './provider-key-store.ts'
import { type KeptProviderKeys, SEALED_FOR } from './provider-keys.ts'

export interface ProviderKeyServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly makeId: MakeId
  readonly secrets: Pick<Secrets, 'seal'>
  readonly readAccounts: () => Promise<AccountDirectory>
  readonly keys: Pick<KeptProviderKeys, 'announceChange'>
}

/** Manages stored keys within the rights of who calls. Answers never hold a key. */
export interface ProviderKeyService {
  /** The keys of the owner that the fields name; without one all that the actor may manage. */
  list(actor: Actor, named: OwnerFields, page: PageRequest): Promise<Page<ProviderKey>>
  create(actor: Actor, body: CreateProviderKeyBody): Promise<ProviderKey>
  update(actor: Actor, providerKeyId: string, body: UpdateProviderKeyBody): Promise<ProviderKey>
  remove(actor: Actor, providerKeyId: string): Promise<void>
}

export function createProviderKeyService(dependencies: ProviderKeyServiceDependencies): ProviderKeyService {
  const { database, clock, secrets, readAccounts, keys } = dependencies

  return {
    async list(actor, named, page) {
      const accounts = await readAccounts()
      const owner = oneOwner(named)
      if (owner !== null) checkMayManage(actor, owner, accounts)
      const owners = owner === null ? manageableOwners(actor, accounts) : [owner]
      const found = await listKeys(database.read, owners, page)
      return toPage(
        found,
        page.limit,
        (key) => key,
        (key) => ({ at: Date.parse(key.createdAt), id: key.providerKeyId }),
      )
    },

    create: (actor, body) => createKey(dependencies, actor, body),

    async update(actor, providerKeyId, body) {
      const accounts = await readAccounts()
      const updated = await database.transaction(async (transaction) => {
        const { key } = await findManageable(transaction, providerKeyId, { actor, accounts })
        const { apiKey, baseUrl = key.baseUrl } = body
        if (apiKey === undefined && baseUrl === key.baseUrl) return key
        if (apiKey === undefined && !isSameServer(key.baseUrl, baseUrl)) throw keyNeeded()
        const now = clock.now()
        const secret = apiKey === undefined ? undefined : sealKey(secrets, apiKey)
        await updateKey(transaction, providerKeyId, { baseUrl, now, ...(secret === undefined ? {} : { secret }) })
        const lastFour = secret?.lastFour ?? key.lastFour
        return { ...key, baseUrl, lastFour, updatedAt: new Date(now).toISOString() }
      })
      keys.announceChange()
      return updated
    },

    async remove(actor, providerKeyId) {
      const accounts = await readAccounts()
      await database.transaction(async (transaction) => {
        await findManageable(transaction, providerKeyId, { actor, accounts })
        await removeKey(transaction, providerKeyId)
      })
      keys.announceChange()
    },
  }
}

function sealKey(secrets: Pick<Secrets, 'seal'>, apiKey: string) {
  return { ciphertext: secrets.seal(apiKey, SEALED_FOR), lastFour: apiKey.slice(-4) }
}

async function createKey(
  { readAccounts, clock, makeId, database, secrets, keys }: ProviderKeyServiceDependencies,
  actor: Actor,
  body: CreateProviderKeyBody,
): Promise<ProviderKey> {
  const accounts = await readAccounts()
  const owner = oneOwner(body)
  if (owner === null) throw severalOwners()
  checkMayManage(actor, owner, accounts)
  const { service, baseUrl } = body
  const now = clock.now()
  const key = { providerKeyId: makeId('provider_key'), service, owner, baseUrl, now, ...sealKey(secrets, body.apiKey) }
  try {
    await database.batch([insertKeyStatement(database, key)])
  } catch (error) {
    throw toRefusal(error, body, owner)
  }
  keys.announceChange()
  const at = new Date(now).toISOString()
  const { providerKeyId, lastFour } = key
  const { workspaceId, tenantId, providerId } = body
  return {
    providerKeyId,
    service,
    workspaceId,
    tenantId,
    providerId,
    lastFour,
    baseUrl,
    createdAt: at,
    updatedAt: at,
  }
}

interface Viewer {
  readonly actor: Actor
  readonly accounts: AccountDirectory
}

/** A key in other hands does not exist. */
async function findManageable(
  transaction: Transaction,
  providerKeyId: string,
  { actor, accounts }: Viewer,
): Promise<StoredKey> {
  const stored = await findKey(transaction, providerKeyId)
  if (stored !== null && mayManage(actor, stored.owner, accounts)) return stored
  throw new AppError('not_found', `No provider key "${providerKeyId}" exists that this token may manage.`)
}

function oneOwner(named: OwnerFields): KeyOwner | null {
  const [owner = null, ...others] = namedOwners(named)
  if (others.length > 0) throw severalOwners()
  return owner
}

function severalOwners(): AppError {
  const message = 'name one owner: workspaceId (or the header X-Workspace-Id), tenantId or providerId'
  return new AppError('invalid_request', `The request must ${message}.`, {
    details: [{ path: '', message: `must ${message}` }],
  })
}

function isSameServer(before: string | null, after: string | null): boolean {
  if (after === null) return true
  return before !== null && new URL(before).origin === new URL(after).origin
}

function keyNeeded(): AppError {
  return invalidField('apiKey', 'must be given together with a baseUrl on another server')
}

function toRefusal(error: unknown, { service }: CreateProviderKeyBody, { kind, id }: KeyOwner): unknown {
  if (!(error instanceof ConstraintError)) return error
  if (error.kind === 'unique') {
    return new AppError('id_taken', `The ${kind} has a key for "${service}" already; change or delete that one.`)
  }
  if (error.kind !== 'foreign-key') return error
  // It was there a moment ago: what is gone answers like what never was.
  return kind === 'workspace'
    ? new AppError('workspace_forbidden', `This token does not reach workspace ${id}.`)
    : new AppError('forbidden', `This needs an administrator of the ${kind}.`)
}
