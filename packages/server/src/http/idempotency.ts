import { createHash } from 'node:crypto'
import type { Clock } from '@parley/engine/ports'
import type { Database } from '../kernel/database.ts'
import { AppError, invalidField } from '../kernel/errors.ts'
import type { Secrets } from '../kernel/secrets.ts'

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
  readonly actorId: string
  readonly method: string
  /** The real path, without the query. */
  readonly path: string
  readonly key: string
  readonly body: unknown
}

export interface Idempotency {
  /** The stored answer of the same request, or `null` when this request now holds the key. Throws when it may not run. */
  begin(request: IdempotentRequest): Promise<StoredAnswer | null>
  /** Keeps an answer below 500; a failure of ours releases the key. */
  finish(request: IdempotentRequest, answer: StoredAnswer | null): Promise<void>
  /** Deletes keys older than a day. */
  sweep(): Promise<void>
}

function sha256(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex')
}

const keyHash = (request: IdempotentRequest): string =>
  sha256(request.actorId, request.method, request.path, request.key)
const bodyHash = (request: IdempotentRequest): string => sha256(JSON.stringify(request.body) ?? '')

/** Refuses a key that cannot be stored. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || header.length === 0 || header.length > 255) {
    throw invalidField('Idempotency-Key', 'must be one value of 1 to 255 characters')
  }
  return header
}

/** Idempotency keys as rows: an answer is stored encrypted, a lease keeps a crash from blocking its key. */
export function createIdempotency(database: Database, secrets: Secrets, clock: Clock): Idempotency {
  async function claim(request: IdempotentRequest): Promise<boolean> {
    const now = clock.now()
    const values = { key_hash: keyHash(request), body_hash: bodyHash(request), status: null, answer: null }
    return await database.transaction(async (transaction) => {
      const inserted = await transaction
        .insertInto('idempotency_keys')
        .values({ ...values, lease_until: now + LEASE_MS, created_at: now })
        .onConflict((conflict) =>
          conflict
            .column('key_hash')
            .doUpdateSet({ ...values, lease_until: now + LEASE_MS, created_at: now })
            .where((where) =>
              where.or([
                where('idempotency_keys.created_at', '<', now - KEPT_MS),
                where.and([
                  where('idempotency_keys.status', 'is', null),
                  where('idempotency_keys.lease_until', '<', now),
                ]),
              ]),
            ),
        )
        .executeTakeFirst()
      return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1
    })
  }

  return {
    async begin(request) {
      if (await claim(request)) return null
      const row = await database.read
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('key_hash', '=', keyHash(request))
        .executeTakeFirst()
      if (row !== undefined && row.body_hash !== bodyHash(request)) {
        throw new AppError(
          'idempotency_key_reused',
          'This Idempotency-Key was used with another body; use a new key for a new request.',
        )
      }
      if (row?.answer == null || row.status === null) {
        throw new AppError(
          'idempotency_in_progress',
          'A request with this Idempotency-Key is still running; try again shortly.',
          {
            retryAfterMs: 1000,
          },
        )
      }
      return JSON.parse(secrets.open(row.answer, PURPOSE)) as StoredAnswer
    },

    async finish(request, answer) {
      const hash = keyHash(request)
      const query =
        answer === null || answer.status >= 500
          ? database.compile.deleteFrom('idempotency_keys').where('key_hash', '=', hash).compile()
          : database.compile
              .updateTable('idempotency_keys')
              .set({ status: answer.status, answer: secrets.seal(JSON.stringify(answer), PURPOSE) })
              .where('key_hash', '=', hash)
              .compile()
      await database.batch([{ query }])
    },

    async sweep() {
      const query = database.compile
        .deleteFrom('idempotency_keys')
        .where('created_at', '<', clock.now() - KEPT_MS)
        .compile()
      await database.batch([{ query }])
    },
  }
}
