import { createHash } from 'node:crypto'
import { type Actor, type ActorRights, coversRights, toActorRights } from '../kernel/access/actor.ts'
import type { ContextClaims } from '../kernel/access/actor-context.ts'
import { AppError, invalidField } from '../kernel/errors.ts'
import type { Secrets } from '../kernel/security/secrets.ts'
import type { Database } from '../kernel/storage/database.ts'
import type { SharedClock } from '../kernel/work/shared-clock.ts'

const RETENTION_MS = 24 * 60 * 60 * 1000
/** Longer than any response takes. If a lease expires before its response is stored, its process has crashed. */
const LEASE_MS = 60_000
const PURPOSE = 'idempotency'

/** A stored response. */
export interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface IdempotentRequest {
  readonly actor: Actor
  /** Context headers, which are part of the key's scope. */
  readonly claims: ContextClaims | null
  /** Workspace of the request, from any part of the request. */
  readonly workspaceId: number | null
  readonly method: string
  /** Path of the request without the query. */
  readonly path: string
  readonly key: string
  readonly body: unknown
}

/** Outcome of claiming a key: replay a stored response, or run the request with a lease. */
export type KeyClaim =
  | { readonly kind: 'stored'; readonly response: StoredResponse }
  | { readonly kind: 'held'; readonly lease: KeyLease }

/** A lease on a key. The lease becomes void once another request takes the key over. */
export interface KeyLease {
  readonly leaseUntil: number
}

export interface Idempotency {
  /** Claims the key of a request. Throws if the key was used with another body or broader rights, or is in use. */
  acquire(request: IdempotentRequest): Promise<KeyClaim>
  /** Stores a response with a status below 500. A null response or an internal error releases the key. */
  finish(request: IdempotentRequest, lease: KeyLease, response: StoredResponse | null): Promise<void>
  /** Deletes keys that are older than a day. */
  sweep(): Promise<void>
}

const KEY_REUSED_MESSAGE = 'This Idempotency-Key was used with another body. Use a new key for a new request.'
const KEY_IN_PROGRESS_MESSAGE = 'A request with this Idempotency-Key is still running; try again shortly.'

const BROADER_RIGHTS_MESSAGE =
  'This Idempotency-Key was used with a credential that has more rights. Retry with that credential, or use a new key.'

/** A response with the rights of its credential. Credentials with narrower rights must not read it. */
interface ResponseWithRights extends StoredResponse {
  readonly rights: ActorRights
}

interface Hashes {
  readonly key: string
  readonly body: string
}

function hashSha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hashIdempotencyKey({ actor, claims, workspaceId, method, path, key }: IdempotentRequest): string {
  const context = [claims?.actorType ?? null, claims?.providerId ?? null, claims?.tenantId ?? null]
  const workspace = workspaceId ?? claims?.workspaceId ?? null
  return hashSha256(JSON.stringify([actor.userId, method, path, workspace, context, key]))
}
const hashBody = (request: IdempotentRequest): string => hashSha256(JSON.stringify(request.body) ?? '')

/** Reads the `Idempotency-Key` header. Throws if the key is invalid. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || header.length === 0 || header.length > 255) {
    throw invalidField('Idempotency-Key', 'must be one value of 1 to 255 characters')
  }
  return header
}

/** Takes a free, expired or abandoned key. Returns null if another request holds the key. */
async function claimKey(database: Database, hashes: Hashes, now: number): Promise<KeyLease | null> {
  const leaseUntil = now + LEASE_MS
  const values = { body_hash: hashes.body, status: null, answer: null, lease_until: leaseUntil, created_at: now }
  return await database.transaction(async (transaction) => {
    const inserted = await transaction
      .insertInto('idempotency_keys')
      .values({ key_hash: hashes.key, ...values })
      .onConflict((conflict) =>
        conflict
          .column('key_hash')
          .doUpdateSet(values)
          .where((where) =>
            where.or([
              where('idempotency_keys.created_at', '<=', now - RETENTION_MS),
              where.and([
                where('idempotency_keys.status', 'is', null),
                where('idempotency_keys.body_hash', '=', hashes.body),
                where('idempotency_keys.lease_until', '<=', now),
              ]),
            ]),
          ),
      )
      .executeTakeFirst()
    return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1 ? { leaseUntil } : null
  })
}

/** Creates the idempotency key store. Responses are encrypted, and leases release the keys of crashed processes. */
export function createIdempotency(database: Database, secrets: Secrets, clock: SharedClock): Idempotency {
  return {
    async acquire(request) {
      const hashes = { key: hashIdempotencyKey(request), body: hashBody(request) }
      const lease = await claimKey(database, hashes, clock.now())
      if (lease !== null) return { kind: 'held', lease }
      const row = await database.read
        .selectFrom('idempotency_keys')
        .select(['body_hash', 'status', 'answer'])
        .where('key_hash', '=', hashes.key)
        .executeTakeFirst()
      if (row !== undefined && row.body_hash !== hashes.body)
        throw new AppError('idempotency_key_reused', KEY_REUSED_MESSAGE)
      if (row?.answer == null || row.status === null) {
        throw new AppError('idempotency_in_progress', KEY_IN_PROGRESS_MESSAGE, { retryAfterMs: 1000 })
      }
      const { rights, ...response } = JSON.parse(secrets.decrypt(row.answer, PURPOSE)) as ResponseWithRights
      if (!coversRights(request.actor, rights)) throw new AppError('idempotency_key_reused', BROADER_RIGHTS_MESSAGE)
      return { kind: 'stored', response }
    },

    async finish(request, lease, response) {
      const hash = hashIdempotencyKey(request)
      const encryptResponse = (response: ResponseWithRights): string =>
        secrets.encrypt(JSON.stringify(response), PURPOSE)
      // Applies only while this request holds the lease; later, another request can use the key.
      const query =
        response === null || response.status >= 500
          ? database.queryBuilder
              .deleteFrom('idempotency_keys')
              .where('key_hash', '=', hash)
              .where('lease_until', '=', lease.leaseUntil)
              .compile()
          : database.queryBuilder
              .updateTable('idempotency_keys')
              .set({
                status: response.status,
                answer: encryptResponse({ ...response, rights: toActorRights(request.actor) }),
              })
              .where('key_hash', '=', hash)
              .where('lease_until', '=', lease.leaseUntil)
              .compile()
      await database.batch([{ query }])
    },

    async sweep() {
      const query = database.queryBuilder
        .deleteFrom('idempotency_keys')
        .where('created_at', '<=', clock.now() - RETENTION_MS)
        .compile()
      await database.batch([{ query }])
    },
  }
}
