import { getSigningSecret, rotateSigningSecret, type SigningSecret } from '@parley/contract/signing-secret'
import type { Clock, MakeId } from '@parley/engine/ports'
import { type Api, implement } from '../../kernel/api/implement.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import type { SigningSecretRow } from '../../tables/tenancy-tables.ts'

const PURPOSE = 'signing-secret'
/** Announces that a workspace's secrets have changed. The message is the workspace id. */
const ROTATED_TOPIC = 'signing-secret.rotated'
const SECRET_BYTES = 32
/** After a rotation, earlier secrets stay valid for this time. */
const ROTATION_MS = 24 * 60 * 60 * 1000
/** A rotation on another node takes effect within this time, even if its event is lost. */
const CACHE_TTL_MS = 5_000
const MAX_CACHED_WORKSPACES = 1_000

interface SigningSecretServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly secrets: Secrets
  readonly bus: Bus
  /** Returns bytes from a cryptographic generator. */
  readonly randomBytes: (size: number) => Uint8Array
}

interface SigningSecretService {
  /** Creates the first secret of a new workspace. */
  createInitial(transaction: Transaction, workspaceId: number): Promise<void>
  /** Returns all active secrets, newest first. */
  get(workspaceId: number): Promise<readonly SigningSecret[]>
  /** Creates a new secret. Earlier secrets stay valid for up to 24 hours. Returns all active secrets. */
  rotate(workspaceId: number): Promise<readonly SigningSecret[]>
  /** Returns the values to sign with, newest first and at most five seconds old. */
  getActiveSecrets(workspaceId: number): Promise<readonly string[]>
}

interface CachedSecrets {
  readonly secrets: readonly { readonly value: string; readonly expiresAt: number | null }[]
  readonly cachedUntil: number
}

export function createSigningSecretService(dependencies: SigningSecretServiceDependencies): SigningSecretService {
  const { database, clock, secrets, bus } = dependencies
  const cache = new Map<number, CachedSecrets>()
  bus.subscribe(ROTATED_TOPIC, (workspaceId) => cache.delete(Number(workspaceId)))
  bus.onGap(() => cache.clear())

  function toSecret(row: SigningSecretRow): SigningSecret {
    return {
      secretId: row.secret_id,
      secret: secrets.decrypt(row.ciphertext, PURPOSE),
      createdAt: new Date(row.created_at).toISOString(),
      expiresAt: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    }
  }

  return {
    createInitial: (transaction, workspaceId) =>
      insertSecret(transaction, buildSecretRow(dependencies, workspaceId, clock.now())),

    async get(workspaceId) {
      const rows = await findActiveSecrets(database.read, workspaceId, clock.now())
      return rows.map(toSecret)
    },

    async rotate(workspaceId) {
      const rows = await database.transaction(async (transaction) => {
        const now = clock.now()
        await deleteExpiredSecrets(transaction, workspaceId, now)
        await expireSecrets(transaction, workspaceId, now + ROTATION_MS)
        await insertSecret(transaction, buildSecretRow(dependencies, workspaceId, now))
        return await findActiveSecrets(transaction, workspaceId, now)
      })
      cache.delete(workspaceId)
      bus.publish(ROTATED_TOPIC, workspaceId)
      return rows.map(toSecret)
    },

    async getActiveSecrets(workspaceId) {
      const now = clock.now()
      const cachedSecrets = cache.get(workspaceId)
      const currentSecrets =
        cachedSecrets !== undefined && cachedSecrets.cachedUntil > now
          ? cachedSecrets
          : await readSecrets(dependencies, workspaceId, now)
      if (currentSecrets !== cachedSecrets) {
        if (cache.size >= MAX_CACHED_WORKSPACES) cache.clear()
        cache.set(workspaceId, currentSecrets)
      }
      return currentSecrets.secrets
        .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
        .map(({ value }) => value)
    },
  }
}

function buildSecretRow(
  dependencies: Pick<SigningSecretServiceDependencies, 'randomBytes' | 'makeId' | 'secrets'>,
  workspaceId: number,
  now: number,
): SigningSecretRow {
  const { secrets } = dependencies
  const value = `whsec_${Buffer.from(dependencies.randomBytes(SECRET_BYTES)).toString('hex')}`
  return {
    secret_id: dependencies.makeId('secret'),
    workspace_id: workspaceId,
    ciphertext: secrets.encrypt(value, PURPOSE),
    created_at: now,
    expires_at: null,
  }
}

async function readSecrets(
  { database, secrets }: Pick<SigningSecretServiceDependencies, 'database' | 'secrets'>,
  workspaceId: number,
  now: number,
): Promise<CachedSecrets> {
  const rows = await findActiveSecrets(database.read, workspaceId, now)
  const values = rows.map((row) => ({ value: secrets.decrypt(row.ciphertext, PURPOSE), expiresAt: row.expires_at }))
  return { secrets: values, cachedUntil: now + CACHE_TTL_MS }
}

/** Finds the secrets that have not expired, newest first. */
async function findActiveSecrets(
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
  // After two rotations within a millisecond, the secret without an expiry is the newest.
  return [...rows.filter((row) => row.expires_at === null), ...rows.filter((row) => row.expires_at !== null)]
}

async function insertSecret(transaction: Transaction, secret: SigningSecretRow): Promise<void> {
  await transaction.insertInto('signing_secrets').values(secret).execute()
}

/** Sets the expiry of every secret that has none. */
async function expireSecrets(transaction: Transaction, workspaceId: number, expiresAt: number): Promise<void> {
  await transaction
    .updateTable('signing_secrets')
    .set({ expires_at: expiresAt })
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', 'is', null)
    .execute()
}

async function deleteExpiredSecrets(transaction: Transaction, workspaceId: number, now: number): Promise<void> {
  await transaction
    .deleteFrom('signing_secrets')
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '<=', now)
    .execute()
}

/** Registers the signing secret routes. */
export function registerSigningSecretRoutes(api: Api, service: Pick<SigningSecretService, 'get' | 'rotate'>): void {
  implement(api, getSigningSecret, async (_input, { workspaceId }) => ({
    secrets: [...(await service.get(workspaceId))],
  }))

  implement(api, rotateSigningSecret, async (_input, { workspaceId }) => ({
    secrets: [...(await service.rotate(workspaceId))],
  }))
}
