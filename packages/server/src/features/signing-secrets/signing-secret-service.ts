import type { SigningSecret } from '@parley/contract/signing-secret'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Secrets } from '../../kernel/security/secrets.ts'
import type { Database, Transaction } from '../../kernel/storage/database.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import type { SigningSecretRow } from '../../tables/tenancy-tables.ts'
import { dropExpiredSecrets, expireSecrets, findActiveSecrets, insertSecret } from './signing-secret-store.ts'

const PURPOSE = 'signing-secret'
/** Tells every node that a workspace's secrets have changed; the message is the workspace id. */
const ROTATED_TOPIC = 'signing-secret.rotated'
const SECRET_BYTES = 32
/** How long receivers have to change over after a rotation. */
const ROTATION_MS = 24 * 60 * 60 * 1000
/** Another node's rotation is seen within this time, should its event be lost. */
const CACHE_TTL_MS = 5_000
const MAX_CACHED = 1_000

export interface SigningSecretServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly secrets: Secrets
  readonly bus: Bus
  /** Bytes from a cryptographic generator. */
  readonly randomBytes: (size: number) => Uint8Array
}

export interface SigningSecretService {
  /** Makes the first secret of a new workspace. */
  createFor(transaction: Transaction, workspaceId: number): Promise<void>
  /** All that sign now, newest first. */
  get(workspaceId: number): Promise<readonly SigningSecret[]>
  /** Makes a new secret; those before it sign for another 24 hours at most. Answers all that sign now. */
  rotate(workspaceId: number): Promise<readonly SigningSecret[]>
  /** The values to sign with, newest first; at most five seconds old. */
  activeSecrets(workspaceId: number): Promise<readonly string[]>
}

interface CachedSecrets {
  readonly secrets: readonly { readonly value: string; readonly expiresAt: number | null }[]
  readonly until: number
}

export function createSigningSecretService(dependencies: SigningSecretServiceDependencies): SigningSecretService {
  const { database, clock, secrets, bus } = dependencies
  const cache = new Map<number, CachedSecrets>()
  bus.subscribe(ROTATED_TOPIC, (workspaceId) => cache.delete(Number(workspaceId)))
  bus.onGap(() => cache.clear())

  function toSecret(row: SigningSecretRow): SigningSecret {
    return {
      secretId: row.secret_id,
      secret: secrets.open(row.ciphertext, PURPOSE),
      createdAt: new Date(row.created_at).toISOString(),
      expiresAt: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    }
  }

  return {
    createFor: (transaction, workspaceId) =>
      insertSecret(transaction, makeSecretRow(dependencies, workspaceId, clock.now())),

    async get(workspaceId) {
      const rows = await findActiveSecrets(database.read, workspaceId, clock.now())
      return rows.map(toSecret)
    },

    async rotate(workspaceId) {
      const rows = await database.transaction(async (transaction) => {
        const now = clock.now()
        await dropExpiredSecrets(transaction, workspaceId, now)
        await expireSecrets(transaction, workspaceId, now + ROTATION_MS)
        await insertSecret(transaction, makeSecretRow(dependencies, workspaceId, now))
        return await findActiveSecrets(transaction, workspaceId, now)
      })
      cache.delete(workspaceId)
      bus.publish(ROTATED_TOPIC, workspaceId)
      return rows.map(toSecret)
    },

    async activeSecrets(workspaceId) {
      const now = clock.now()
      const known = cache.get(workspaceId)
      const current =
        known !== undefined && known.until > now ? known : await readSecrets(dependencies, workspaceId, now)
      if (current !== known) {
        if (cache.size >= MAX_CACHED) cache.clear()
        cache.set(workspaceId, current)
      }
      return current.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now).map(({ value }) => value)
    },
  }
}

function makeSecretRow(
  dependencies: Pick<SigningSecretServiceDependencies, 'randomBytes' | 'makeId' | 'secrets'>,
  workspaceId: number,
  now: number,
): SigningSecretRow {
  const { secrets } = dependencies
  const value = `whsec_${Buffer.from(dependencies.randomBytes(SECRET_BYTES)).toString('hex')}`
  return {
    secret_id: dependencies.makeId('secret'),
    workspace_id: workspaceId,
    ciphertext: secrets.seal(value, PURPOSE),
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
  const values = rows.map((row) => ({ value: secrets.open(row.ciphertext, PURPOSE), expiresAt: row.expires_at }))
  return { secrets: values, until: now + CACHE_TTL_MS }
}
