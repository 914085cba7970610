import { createHash } from 'node:crypto'
import { type Actor, type ActorRights, coversRights, rightsOf } from '../kernel/access/actor.ts'
import type { ContextClaims } from '../kernel/access/actor-context.ts'
import { AppError, invalidField } from '../kernel/errors.ts'
import type { Secrets } from '../kernel/security/secrets.ts'
import type { Database } from '../kernel/storage/database.ts'
import type { SharedClock } from '../kernel/work/shared-clock.ts'

const KEPT_MS = 24 * 60 * 60 * 1000
/** An answer takes less than this; a key still in flight afterwards belongs to a process that died. */
const LEASE_MS = 60_000
const PURPOSE = 'idempotency'

/** A finished answer, as it is stored and replayed. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface IdempotentRequest {
  readonly actor: Actor
  /** The context headers: another context is another request. */
  readonly claims: ContextClaims | null
  /** The workspace that the request names, wherever it names it. */
  readonly workspaceId: number | null
  readonly method: string
  /** The real path, without the query. */
  readonly path: string
  readonly key: string
  readonly body: unknown
}

/** What a request with a key has to do: send the answer of an earlier one, or run while it holds the key. */
export type KeyClaim =
  | { readonly kind: 'stored'; readonly answer: StoredAnswer }
  | { readonly kind: 'held'; readonly lease: KeyLease }

/** The key as one request holds it: worth nothing once another has taken the key over. */
export interface KeyLease {
  readonly leaseUntil: number
}

export interface Idempotency {
  /** Throws when the request may not run: another body, still in flight, or an answer to a credential with wider rights. */
  acquire(request: IdempotentRequest): Promise<KeyClaim>
  /** Keeps an answer below 500; `null` or a failure of ours releases the key. */
  finish(request: IdempotentRequest, lease: KeyLease, answer: StoredAnswer | null): Promise<void>
  /** Deletes keys older than a day. */
  sweep(): Promise<void>
}

const REUSED = 'This Idempotency-Key was used with another body; use a new key for a new request.'
const IN_PROGRESS = 'A request with this Idempotency-Key is still running; try again shortly.'

const WIDER_RIGHTS =
  'This Idempotency-Key was used with a credential whose rights this one does not cover; send the retry with that credential, or use a new key for a new request.'

/** An answer, and the rights of the credential that got it: a narrower one must not read it. */
interface AnswerWithRights extends StoredAnswer {
  readonly rights: ActorRights
}

interface Hashes {
  readonly key: string
  readonly body: string
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hashIdempotencyKey({ actor, claims, workspaceId, method, path, key }: IdempotentRequest): string {
  const context = [claims?.actorType ?? null, claims?.providerId ?? null, claims?.tenantId ?? null]
  const workspace = workspaceId ?? claims?.workspaceId ?? null
  return sha256(JSON.stringify([actor.userId, method, path, workspace, context, key]))
}
const hashBody = (request: IdempotentRequest): string => sha256(JSON.stringify(request.body) ?? '')

/** Refuses a key that cannot be stored. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || header.length === 0 || header.length > 255) {
    throw invalidField('Idempotency-Key', 'must be one value of 1 to 255 characters')
  }
  return header
}

/** Takes a key that is free, has lapsed or was left by a crash; null when it is taken. */
async function claim(database: Database, hashes: Hashes, now: number): Promise<KeyLease | null> {
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
              where('idempotency_keys.created_at', '<=', now - KEPT_MS),
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

/** Idempotency keys as rows: an answer is stored encrypted, a lease keeps a crash from blocking its key. */
export function createIdempotency(database: Database, secrets: Secrets, clock: SharedClock): Idempotency {
  return {
    async acquire(request) {
      const hashes = { key: hashIdempotencyKey(request), body: hashBody(request) }
      const lease = await claim(database, hashes, clock.now())
      if (lease !== null) return { kind: 'held', lease }
      const row = await database.read
        .selectFrom('idempotency_keys')
        .select(['body_hash', 'status', 'answer'])
        .where('key_hash', '=', hashes.key)
        .executeTakeFirst()
      if (row !== undefined && row.body_hash !== hashes.body) throw new AppError('idempotency_key_reused', REUSED)
      if (row?.answer == null || row.status === null) {
        throw new AppError('idempotency_in_progress', IN_PROGRESS, { retryAfterMs: 1000 })
      }
      const { rights, ...answer } = JSON.parse(secrets.open(row.answer, PURPOSE)) as AnswerWithRights
      if (!coversRights(request.actor, rights)) throw new AppError('idempotency_key_reused', WIDER_RIGHTS)
      return { kind: 'stored', answer }
    },

    async finish(request, lease, answer) {
      const hash = hashIdempotencyKey(request)
      const sealed = (kept: AnswerWithRights): string => secrets.seal(JSON.stringify(kept), PURPOSE)
      // Only while the key is still ours: after the lease another request may run under it.
      const query =
        answer === null || answer.status >= 500
          ? database.compile
              .deleteFrom('idempotency_keys')
              .where('key_hash', '=', hash)
              .where('lease_until', '=', lease.leaseUntil)
              .compile()
          : database.compile
              .updateTable('idempotency_keys')
              .set({ status: answer.status, answer: sealed({ ...answer, rights: rightsOf(request.actor) }) })
              .where('key_hash', '=', hash)
              .where('lease_until', '=', lease.leaseUntil)
              .compile()
      await database.batch([{ query }])
    },

    async sweep() {
      const query = database.compile
        .deleteFrom('idempotency_keys')
        .where('created_at', '<=', clock.now() - KEPT_MS)
        .compile()
      await database.batch([{ query }])
    },
  }
}
