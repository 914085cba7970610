import {
  type CreateProviderKeyBody,
  createProviderKey,
  deleteProviderKey,
  listProviderKeys,
  type ProviderKey,
  type ProviderKeyTest,
  testProviderKey,
  type UpdateProviderKeyBody,
  updateProviderKey,
} from '@parley/contract/provider-key'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import { type Api, implement, respondWithPage } from '../../kernel/api/implement.ts'
import { type Page, type PageRequest, parsePageRequest, toPage } from '../../kernel/api/paging.ts'
import { AppError, ConstraintError, invalidField } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import type { Database, Reader } from '../../kernel/storage/database.ts'
import {
  canManageKeys,
  checkCanManageKeys,
  type KeyOwner,
  listManageableOwners,
  listOwners,
  type OwnerFields,
} from './key-owner.ts'
import {
  buildInsertKeyStatement,
  findKey,
  type KeyTester,
  listKeys,
  removeKey,
  type StoredKey,
  updateKey,
} from './vendor-key-store.ts'
import { type CachedVendorKeys, describeUnreadableKey, ENCRYPTION_PURPOSE } from './vendor-keys.ts'

/** Workspace id in the context of requests without a workspace. */
const NO_WORKSPACE = 0

/** Registers the operations of provider keys. */
export function registerVendorKeyRoutes(api: Api, service: VendorKeyService): void {
  implement(api, listProviderKeys, async ({ query }, context) => {
    const ownerFields = {
      workspaceId: context.workspaceId === NO_WORKSPACE ? null : context.workspaceId,
      tenantId: query.tenantId ?? null,
      providerId: query.providerId ?? null,
    }
    return respondWithPage(context, await service.list(context.actor, ownerFields, parsePageRequest(query)))
  })

  implement(api, createProviderKey, ({ body }, { actor }) => service.create(actor, body))

  implement(api, updateProviderKey, ({ path, body }, { actor }) => service.update(actor, path.providerKeyId, body))

  implement(api, testProviderKey, ({ path }, { actor }) => service.test(actor, path.providerKeyId))

  implement(api, deleteProviderKey, ({ path }, { actor }) => service.remove(actor, path.providerKeyId))
}

interface VendorKeyServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly makeId: MakeId
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly tester: KeyTester
  readonly readTenantDirectory: () => Promise<TenantDirectory>
  readonly keys: Pick<CachedVendorKeys, 'announceChange'>
}

/** Manages the stored keys that the actor has access to. Responses never contain a key. */
interface VendorKeyService {
  /** Lists the owner's keys. Without an owner, lists all keys that the actor may manage. */
  list(actor: Actor, ownerFields: OwnerFields, page: PageRequest): Promise<Page<ProviderKey>>
  create(actor: Actor, body: CreateProviderKeyBody): Promise<ProviderKey>
  update(actor: Actor, providerKeyId: string, body: UpdateProviderKeyBody): Promise<ProviderKey>
  /** Tests the key at its vendor. A key that does not work is a result, not an error. */
  test(actor: Actor, providerKeyId: string): Promise<ProviderKeyTest>
  remove(actor: Actor, providerKeyId: string): Promise<void>
}

export function createVendorKeyService(dependencies: VendorKeyServiceDependencies): VendorKeyService {
  const { database, clock, secrets, readTenantDirectory, keys } = dependencies

  return {
    async list(actor, ownerFields, page) {
      const directory = await readTenantDirectory()
      const owner = requireSingleOwner(ownerFields)
      if (owner !== null) checkCanManageKeys(actor, owner, directory)
      const owners = owner === null ? listManageableOwners(actor, directory) : [owner]
      const keyRows = await listKeys(database.read, owners, page)
      return toPage(
        keyRows,
        page.limit,
        (key) => key,
        (key) => ({ sortValue: Date.parse(key.createdAt), id: key.providerKeyId }),
      )
    },

    create: (actor, body) => createKey(dependencies, actor, body),

    async update(actor, providerKeyId, body) {
      const directory = await readTenantDirectory()
      const updatedKey = await database.transaction(async (transaction) => {
        const { key } = await requireManageableKey(transaction, providerKeyId, { actor, directory })
        const { apiKey, baseUrl = key.baseUrl } = body
        if (apiKey === undefined && baseUrl === key.baseUrl) return key
        if (apiKey === undefined && !isSameServer(key.baseUrl, baseUrl)) throw createMissingKeyError()
        const now = clock.now()
        const secret = apiKey === undefined ? undefined : encryptKey(secrets, apiKey)
        await updateKey(transaction, providerKeyId, { baseUrl, now, ...(secret === undefined ? {} : { secret }) })
        const lastFour = secret?.lastFour ?? key.lastFour
        return { ...key, baseUrl, lastFour, updatedAt: new Date(now).toISOString() }
      })
      keys.announceChange()
      return updatedKey
    },

    test: (actor, providerKeyId) => testKey(dependencies, actor, providerKeyId),

    async remove(actor, providerKeyId) {
      const directory = await readTenantDirectory()
      await database.transaction(async (transaction) => {
        await requireManageableKey(transaction, providerKeyId, { actor, directory })
        await removeKey(transaction, providerKeyId)
      })
      keys.announceChange()
    },
  }
}

function encryptKey(secrets: Pick<Secrets, 'encrypt'>, apiKey: string) {
  return { ciphertext: secrets.encrypt(apiKey, ENCRYPTION_PURPOSE), lastFour: apiKey.slice(-4) }
}

async function createKey(
  { readTenantDirectory, clock, makeId, database, secrets, keys }: VendorKeyServiceDependencies,
  actor: Actor,
  body: CreateProviderKeyBody,
): Promise<ProviderKey> {
  const directory = await readTenantDirectory()
  const owner = requireSingleOwner(body)
  if (owner === null) throw createMultipleOwnersError()
  checkCanManageKeys(actor, owner, directory)
  const { service, baseUrl } = body
  const now = clock.now()
  const key = {
    providerKeyId: makeId('provider_key'),
    service,
    owner,
    baseUrl,
    now,
    ...encryptKey(secrets, body.apiKey),
  }
  try {
    await database.batch([buildInsertKeyStatement(database, key)])
  } catch (error) {
    throw toConflictError(error, body, owner)
  }
  keys.announceChange()
  const createdAt = new Date(now).toISOString()
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
    createdAt,
    updatedAt: createdAt,
  }
}

async function testKey(
  { database, readTenantDirectory, clock, secrets, tester }: VendorKeyServiceDependencies,
  actor: Actor,
  providerKeyId: string,
): Promise<ProviderKeyTest> {
  const directory = await readTenantDirectory()
  const { key, ciphertext } = await requireManageableKey(database.read, providerKeyId, { actor, directory })
  const startedAtMs = clock.now()
  const apiKey = decryptKey(secrets, ciphertext)
  const { ok, message } =
    apiKey === null
      ? { ok: false, message: describeUnreadableKey(key.service) }
      : await tester.test(key.service, {
          apiKey,
          baseUrl: key.baseUrl,
          isStored: true,
          isShared: key.workspaceId === null,
        })
  const now = clock.now()
  return { ok, message, latencyMs: Math.max(0, Math.round(now - startedAtMs)), checkedAt: new Date(now).toISOString() }
}

/** Returns null for a key that was encrypted with another `SECRET_KEY`. */
function decryptKey(secrets: Pick<Secrets, 'decrypt'>, ciphertext: string): string | null {
  try {
    return secrets.decrypt(ciphertext, ENCRYPTION_PURPOSE)
  } catch {
    return null
  }
}

interface Requester {
  readonly actor: Actor
  readonly directory: TenantDirectory
}

/** Finds a key that the actor may manage. Throws `not_found` for other keys. */
async function requireManageableKey(
  reader: Reader,
  providerKeyId: string,
  { actor, directory }: Requester,
): Promise<StoredKey> {
  const storedKey = await findKey(reader, providerKeyId)
  if (storedKey !== null && canManageKeys(actor, storedKey.owner, directory)) return storedKey
  throw new AppError('not_found', `No manageable provider key "${providerKeyId}" exists.`)
}

function requireSingleOwner(ownerFields: OwnerFields): KeyOwner | null {
  const [owner = null, ...otherOwners] = listOwners(ownerFields)
  if (otherOwners.length > 0) throw createMultipleOwnersError()
  return owner
}

function createMultipleOwnersError(): AppError {
  const message = 'name one owner: workspaceId (or the header X-Workspace-Id), tenantId or providerId'
  return new AppError('invalid_request', `The request must ${message}.`, {
    details: [{ path: '', message: `must ${message}` }],
  })
}

function isSameServer(before: string | null, after: string | null): boolean {
  if (after === null) return true
  return before !== null && new URL(before).origin === new URL(after).origin
}

function createMissingKeyError(): AppError {
  return invalidField('apiKey', 'is required with a baseUrl on another server')
}

function toConflictError(error: unknown, { service }: CreateProviderKeyBody, { kind, id }: KeyOwner): unknown {
  if (!(error instanceof ConstraintError)) return error
  if (error.kind === 'unique') {
    return new AppError('id_taken', `The ${kind} already has a key for "${service}". Change or delete it.`)
  }
  if (error.kind !== 'foreign-key') return error
  // The owner was just deleted, so the error is the same as for an unknown owner.
  return kind === 'workspace'
    ? new AppError('workspace_forbidden', `This token does not have access to workspace ${id}.`)
    : new AppError('forbidden', `This operation requires an administrator of the ${kind}.`)
}
