import { createHash } from 'node:crypto'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import type { TenantDirectory } from '../../kernel/access/actor-context.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Background } from '../../kernel/work/background.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import { findOwner, findSession, findToken, type StoredCredential } from './credential-store.ts'
import { resolveActor } from './resolve-actor.ts'
import type { TenantDirectoryReader } from './tenant-directory-reader.ts'

/** Maximum age of a cached credential if the message about a change is lost. */
const CACHE_TTL_MS = 5_000
/** Resolution of `lastUsedAt`. */
const LAST_USED_RESOLUTION_MS = 60_000
const MAX_CACHED = 10_000
/** Maximum length of a cached header. Valid headers are longer only if they contain extra spaces. */
const MAX_CACHED_LENGTH = 600
/** Minimum interval between cache renewals, so that unauthorized clients cannot overload the database. */
const RENEWAL_DELAY_MS = 20
/** Message that notifies all nodes of changed permissions, so that they clear their caches. */
export const ACCESS_CHANGED = 'access.changed'

/** Returns the token's SHA-256 digest in hex. Only this digest is stored. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export interface Credentials {
  /** Value of the `Authorization` header. */
  readonly authorization: string | undefined
  /** Value of the session cookie. */
  readonly session: string | null
}

export interface AccessService {
  /** Returns the actor for a token or session, or `null` if the credential is missing, unknown, expired or revoked. */
  authenticate(credentials: Credentials): Promise<Actor | null>
  /** Returns the user's actor without restrictions by a credential, or `null` if the user does not exist. */
  findUserActor(userId: string): Promise<Actor | null>
  hashToken(token: string): string
  /**
   * Clears the caches after a rejected request. Resolves to true if the request should be retried, because another node may have
   * just created its credential. Concurrent calls share one renewal.
   */
  renew(): Promise<boolean>
  /**
   * Clears the caches after tokens, sessions, users, roles or members change. Takes effect immediately on this node and soon on
   * other nodes.
   */
  invalidate(): void
}

interface AccessServiceDependencies {
  readonly database: Database
  readonly background: Background
  readonly bus: Bus
  readonly clock: Clock
  readonly readTenantDirectory: TenantDirectoryReader
  /** Idle time after which a dashboard session ends. */
  readonly sessionIdleMs: number
}

export function createAccessService(dependencies: AccessServiceDependencies): AccessService {
  const { database, bus, clock, readTenantDirectory } = dependencies
  const cache = new CredentialCache(dependencies)
  const usage = new CredentialUsage(dependencies)
  let renewedAt = 0
  let renewal: Promise<void> | null = null
  const clear = (): void => {
    cache.clear()
    if (!database.capabilities.seesAllWrites) readTenantDirectory.invalidate()
  }
  const sleep = (durationMs: number): Promise<void> => new Promise((resolve) => clock.after(durationMs, resolve))
  bus.subscribe(ACCESS_CHANGED, clear)
  bus.onGap(clear)

  return {
    async authenticate(credentials) {
      const entry = await cache.find(credentials)
      const credential = entry?.credential ?? null
      if (entry === null || credential === null) return null
      const now = clock.now()
      if (credential.expiresAt !== null && credential.expiresAt <= now) return null
      if (usage.isIdle(credential, now)) return null
      usage.recordUse(credential, now)
      const directory = await readTenantDirectory()
      if (entry.actor === null || entry.directory !== directory) {
        entry.actor = resolveActor(credential, directory)
        entry.directory = directory
      }
      return entry.actor
    },

    async findUserActor(userId) {
      const owner = await findOwner(database.read, userId)
      if (owner === null) return null
      const unrestrictedLimits = {
        credentialId: '',
        isSession: false,
        scopes: null,
        workspaceIds: null,
        expiresAt: null,
      }
      return resolveActor({ ...owner, ...unrestrictedLimits }, await readTenantDirectory())
    },

    hashToken,

    async renew() {
      if (database.capabilities.seesAllWrites) return false
      const waitMs = renewedAt + RENEWAL_DELAY_MS - clock.now()
      renewal ??= (waitMs > 0 ? sleep(waitMs) : Promise.resolve()).then(() => {
        renewedAt = clock.now()
        renewal = null
        clear()
      })
      await renewal
      return true
    },

    invalidate() {
      clear()
      bus.publish(ACCESS_CHANGED, null)
    },
  }
}

interface CachedCredential {
  readonly credential: StoredCredential | null
  readonly expiresAt: number
  /** Actor resolved with `directory`; null until the first use. */
  actor: Actor | null
  directory: TenantDirectory | null
}

/** Caches credentials for a few seconds. */
class CredentialCache {
  readonly #database: Pick<Database, 'read'>
  readonly #clock: Pick<Clock, 'now'>
  /** Credentials by full header value, so that a cached header requires neither parsing nor hashing. */
  readonly #entries = new Map<string, CachedCredential>()
  #generation = 0

  constructor({ database, clock }: Pick<AccessServiceDependencies, 'database' | 'clock'>) {
    this.#database = database
    this.#clock = clock
  }

  clear(): void {
    this.#generation += 1
    this.#entries.clear()
  }

  async find({ authorization, session }: Credentials): Promise<CachedCredential | null> {
    const { read } = this.#database
    if (authorization !== undefined) {
      const entry = this.#entries.get(authorization)
      if (entry !== undefined && entry.expiresAt > this.#clock.now()) return entry
      const [, token] = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization) ?? []
      if (token === undefined) return null
      return await this.#lookUp(authorization, () => findToken(read, hashToken(token)))
    }
    if (session === null) return null
    // Headers contain no line breaks, so a header never collides with a cookie key.
    return await this.#lookUp(`cookie\n${session}`, () => findSession(read, hashToken(session)))
  }

  async #lookUp(key: string, readCredential: () => Promise<StoredCredential | null>): Promise<CachedCredential> {
    const now = this.#clock.now()
    const cachedEntry = this.#entries.get(key)
    if (cachedEntry !== undefined && cachedEntry.expiresAt > now) return cachedEntry
    const startedGeneration = this.#generation
    const entry = { credential: await readCredential(), expiresAt: now + CACHE_TTL_MS, actor: null, directory: null }
    // A read that started before a change may be outdated.
    if (key.length > MAX_CACHED_LENGTH || startedGeneration !== this.#generation) return entry
    if (this.#entries.size >= MAX_CACHED) this.#entries.clear()
    this.#entries.set(key, entry)
    return entry
  }
}

/** Records when credentials were last used. */
class CredentialUsage {
  readonly #dependencies: Pick<AccessServiceDependencies, 'database' | 'background' | 'sessionIdleMs'>
  readonly #usedAt = new Map<string, number>()

  constructor(dependencies: Pick<AccessServiceDependencies, 'database' | 'background' | 'sessionIdleMs'>) {
    this.#dependencies = dependencies
  }

  /** Whether a session has exceeded its idle time. Considers uses that are not yet written to the database. */
  isIdle({ credentialId, isSession, lastUsedAt }: StoredCredential, now: number): boolean {
    if (!isSession) return false
    const usedAt = Math.max(lastUsedAt ?? 0, this.#usedAt.get(credentialId) ?? 0)
    return usedAt + this.#dependencies.sessionIdleMs <= now
  }

  recordUse({ credentialId, isSession }: StoredCredential, now: number): void {
    const { database, background } = this.#dependencies
    if (now - (this.#usedAt.get(credentialId) ?? 0) < LAST_USED_RESOLUTION_MS) return
    if (this.#usedAt.size >= MAX_CACHED) this.#usedAt.clear()
    this.#usedAt.set(credentialId, now)
    const query = isSession
      ? database.queryBuilder.updateTable('sessions').set({ last_used_at: now }).where('session_id', '=', credentialId)
      : database.queryBuilder.updateTable('api_tokens').set({ last_used_at: now }).where('token_id', '=', credentialId)
    background.run('record the use of a credential', () => database.batch([{ query: query.compile() }]))
  }
}
