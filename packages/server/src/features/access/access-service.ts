import { createHash } from 'node:crypto'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/actor.ts'
import type { Background } from '../../kernel/background.ts'
import type { Database } from '../../kernel/database.ts'
import { findToken, type StoredToken } from './token-store.ts'

/** How long a token is trusted without a look at the database; a revocation elsewhere takes at most this long. */
const CACHED_MS = 5_000
/** `lastUsedAt` is exact to this. */
const USED_RESOLUTION_MS = 60_000
const MAX_CACHED = 10_000
/** Longer headers hold nothing but more spaces. */
const MAX_CACHED_LENGTH = 600

/** SHA-256 of a token, hex: the only form in which it is stored. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export interface AccessService {
  /** The actor of an `Authorization` header; `null` when its token is missing, unknown, expired or revoked. */
  authenticate(authorization: string | undefined): Promise<Actor | null>
}

interface CachedToken {
  readonly token: StoredToken | null
  readonly until: number
}

export function createAccessService(database: Database, background: Background, clock: Clock): AccessService {
  /** By the whole header: a known one needs no parsing and no digest. */
  const cache = new Map<string, CachedToken>()
  const usedAt = new Map<string, number>()

  async function lookUp(authorization: string, now: number): Promise<StoredToken | null> {
    const cached = cache.get(authorization)
    if (cached !== undefined && cached.until > now) return cached.token
    const [, token] = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization) ?? []
    if (token === undefined) return null
    const stored = await findToken(database.read, hashToken(token))
    if (authorization.length > MAX_CACHED_LENGTH) return stored
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(authorization, { token: stored, until: now + CACHED_MS })
    return stored
  }

  function noteUse(tokenId: string, now: number): void {
    if (now - (usedAt.get(tokenId) ?? 0) < USED_RESOLUTION_MS) return
    usedAt.set(tokenId, now)
    const query = database.compile
      .updateTable('api_tokens')
      .set({ last_used_at: now })
      .where('token_id', '=', tokenId)
      .compile()
    background.run('note token use', () => database.batch([{ query }]))
  }

  return {
    async authenticate(authorization) {
      if (authorization === undefined) return null
      const now = clock.now()
      const stored = await lookUp(authorization, now)
      if (stored === null || (stored.expiresAt !== null && stored.expiresAt <= now)) return null
      noteUse(stored.actor.tokenId, now)
      return stored.actor
    },
  }
}
