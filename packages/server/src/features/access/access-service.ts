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

/** How long a credential is trusted without a look at the database, should the word of a change be lost. */
const CACHE_TTL_MS = 5_000
/** `lastUsedAt` is exact to this. */
const LAST_USED_RESOLUTION_MS = 60_000
const MAX_CACHED = 10_000
/** Longer headers hold nothing but more spaces. */
const MAX_CACHED_LENGTH = 600
/** Between two looks at the database because of refusals: whoever may do nothing must not make it work. */
const RENEWAL_DELAY_MS = 20
/** Tells every node that rights have changed; what is cached is read again. */
export const ACCESS_CHANGED = 'access.changed'

/** SHA-256 of a token, hex: the only form in which it is stored. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** What a request says about who sends it. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** Value of the session cookie. */
  readonly session: string | null
}

export interface AccessService {
  /** The actor of a token or session; `null` when it is missing, unknown, expired or revoked. */
  authenticate(credentials: Credentials): Promise<Actor | null>
  /** What a person may do with a credential that has no limits; `null` when there is no such person. */
  actorOf(userId: string): Promise<Actor | null>
  /** The only form in which tokens are stored. */
  hashToken(token: string): string
  /**
   * Whether a look at the database may let in whom the caches refuse: another node may have made what is asked for a moment
   * ago, with its word of that still on its way. Resolves once the caches are empty. Many at once cost one look.
   */
  renew(): Promise<boolean>
  /** To be called after tokens, sessions, users, roles or members have changed: works at once here, soon everywhere. */
  forget(): void
}

export interface AccessServiceDependencies {
  readonly database: Database
  readonly background: Background
  readonly bus: Bus
  readonly clock: Clock
  readonly readTenantDirectory: TenantDirectoryReader
  /** A login of the dashboard ends after so long without a request. */
  readonly sessionIdleMs: number
}

export function createAccessService(dependencies: AccessServiceDependencies): AccessService {
  const { database, bus, clock, readTenantDirectory } = dependencies
  const cache = new CredentialCache(dependencies)
  const uses = new CredentialUses(dependencies)
  let renewedAt = 0
  let renewing: Promise<void> | null = null
  const clear = (): void => {
    cache.clear()
    if (!database.capabilities.seesAllWrites) readTenantDirectory.forget()
  }
  const sleep = (durationMs: number): Promise<void> => new Promise((resolve) => clock.after(durationMs, resolve))
  bus.subscribe(ACCESS_CHANGED, clear)
  bus.onGap(clear)

  return {
    async authenticate(credentials) {
      const found = await cache.find(credentials)
      const credential = found?.credential ?? null
      if (found === null || credential === null) return null
      const now = clock.now()
      if (credential.expiresAt !== null && credential.expiresAt <= now) return null
      if (uses.isIdle(credential, now)) return null
      uses.note(credential, now)
      const directory = await readTenantDirectory()
      if (found.actor === null || found.directory !== directory) {
        found.actor = resolveActor(credential, directory)
        found.directory = directory
      }
      return found.actor
    },

    async actorOf(userId) {
      const owner = await findOwner(database.read, userId)
      if (owner === null) return null
      const unlimited = { credentialId: '', isSession: false, scopes: null, workspaceIds: null, expiresAt: null }
      return resolveActor({ ...owner, ...unlimited }, await readTenantDirectory())
    },

    hashToken,

    async renew() {
      if (database.capabilities.seesAllWrites) return false
      const waitMs = renewedAt + RENEWAL_DELAY_MS - clock.now()
      renewing ??= (waitMs > 0 ? sleep(waitMs) : Promise.resolve()).then(() => {
        renewedAt = clock.now()
        renewing = null
        clear()
      })
      await renewing
      return true
    },

    forget() {
      clear()
      bus.publish(ACCESS_CHANGED, null)
    },
  }
}

interface CachedCredential {
  readonly credential: StoredCredential | null
  readonly until: number
  /** As `accounts` make it. */
  actor: Actor | null
  directory: TenantDirectory | null
}

/** What is known of credentials, for a few seconds. */
class CredentialCache {
  readonly #database: Pick<Database, 'read'>
  readonly #clock: Pick<Clock, 'now'>
  /** By the whole header: a known one needs no parsing and no digest. */
  readonly #known = new Map<string, CachedCredential>()
  #generation = 0

  constructor({ database, clock }: Pick<AccessServiceDependencies, 'database' | 'clock'>) {
    this.#database = database
    this.#clock = clock
  }

  clear(): void {
    this.#generation += 1
    this.#known.clear()
  }

  async find({ authorization, session }: Credentials): Promise<CachedCredential | null> {
    const { read } = this.#database
    if (authorization !== undefined) {
      const known = this.#known.get(authorization)
      if (known !== undefined && known.until > this.#clock.now()) return known
      const [, token] = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization) ?? []
      if (token === undefined) return null
      return await this.#lookUp(authorization, () => findToken(read, hashToken(token)))
    }
    if (session === null) return null
    // No header holds a line break, so that none is taken for a cookie.
    return await this.#lookUp(`cookie\n${session}`, () => findSession(read, hashToken(session)))
  }

  async #lookUp(key: string, find: () => Promise<StoredCredential | null>): Promise<CachedCredential> {
    const now = this.#clock.now()
    const known = this.#known.get(key)
    if (known !== undefined && known.until > now) return known
    const startedGeneration = this.#generation
    const found = { credential: await find(), until: now + CACHE_TTL_MS, actor: null, directory: null }
    // Read before a change and answered after it, it may be of yesterday.
    if (key.length > MAX_CACHED_LENGTH || startedGeneration !== this.#generation) return found
    if (this.#known.size >= MAX_CACHED) this.#known.clear()
    this.#known.set(key, found)
    return found
  }
}

/** When credentials were used last; written behind the requests. */
class CredentialUses {
  readonly #dependencies: Pick<AccessServiceDependencies, 'database' | 'background' | 'sessionIdleMs'>
  readonly #usedAt = new Map<string, number>()

  constructor(dependencies: Pick<AccessServiceDependencies, 'database' | 'background' | 'sessionIdleMs'>) {
    this.#dependencies = dependencies
  }

  /** The row lags behind by what is not yet written and by what this process has cached. */
  isIdle({ credentialId, isSession, lastUsedAt }: StoredCredential, now: number): boolean {
    if (!isSession) return false
    const usedAt = Math.max(lastUsedAt ?? 0, this.#usedAt.get(credentialId) ?? 0)
    return usedAt + this.#dependencies.sessionIdleMs <= now
  }

  note({ credentialId, isSession }: StoredCredential, now: number): void {
    const { database, background } = this.#dependencies
    if (now - (this.#usedAt.get(credentialId) ?? 0) < LAST_USED_RESOLUTION_MS) return
    if (this.#usedAt.size >= MAX_CACHED) this.#usedAt.clear()
    this.#usedAt.set(credentialId, now)
    const query = isSession
      ? database.compile.updateTable('sessions').set({ last_used_at: now }).where('session_id', '=', credentialId)
      : database.compile.updateTable('api_tokens').set({ last_used_at: now }).where('token_id', '=', credentialId)
    background.run('note the use of a credential', () => database.batch([{ query: query.compile() }]))
  }
}
