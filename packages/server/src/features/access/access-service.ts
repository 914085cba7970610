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
  const cache = new Map<string, CachedToken>()
  const usedAt = new Map<string, number>()

  async function lookUp(hash: string, now: number): Promise<StoredToken | null> {
    const cached = cache.get(hash)
    if (cached !== undefined && cached.until > now) return cached.token
    const token = await findToken(database.read, hash)
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(hash, { token, until: now + CACHED_MS })
    return token
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
      const match = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')
      const token = match?.[1]
      if (token === undefined) return null
      const now = clock.now()
      const stored = await lookUp(hashToken(token), now)
      if (stored === null || (stored.expiresAt !== null && stored.expiresAt <= now)) return null
      noteUse(stored.actor.tokenId, now)
      return stored.actor
    },
  }
}
