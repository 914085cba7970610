import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import type { AccessWatch, WatchedConnection } from '../../kernel/access/actor-context.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { Background } from '../../kernel/work/background.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import { ACCESS_CHANGED } from './access-service.ts'
import { findCredential } from './credential-store.ts'
import { resolveActor } from './resolve-actor.ts'
import type { TenantDirectoryReader } from './tenant-directory-reader.ts'

/** Interval between checks, which detect expired credentials and changes whose message was lost. */
const CHECK_INTERVAL_MS = 3_000

interface AccessWatchDependencies {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly background: Pick<Background, 'run'>
  readonly readTenantDirectory: TenantDirectoryReader
  readonly sessionIdleMs: number
}

/**
 * Creates a watch that closes this process's connections when their access ends. If a database read fails, connections stay
 * open until the next check.
 */
export function createAccessWatch(dependencies: AccessWatchDependencies): AccessWatch {
  const { bus } = dependencies
  const watch = new ConnectionWatch(dependencies)
  bus.subscribe(ACCESS_CHANGED, () => watch.check())
  bus.onGap(() => watch.check())
  return {
    readActor: (credentialId) => findActor(dependencies, credentialId),
    watch: (connection) => watch.add(connection),
  }
}

/** Returns the actor for a credential, or null if the credential is unknown, expired or idle for too long. */
async function findActor(
  { database, clock, readTenantDirectory, sessionIdleMs }: AccessWatchDependencies,
  credentialId: string,
): Promise<Actor | null> {
  const credential = await findCredential(database.read, credentialId)
  if (credential === null) return null
  const idleAt = credential.lastUsedAt === null ? Number.POSITIVE_INFINITY : credential.lastUsedAt + sessionIdleMs
  if (Math.min(credential.expiresAt ?? Number.POSITIVE_INFINITY, idleAt) <= clock.now()) return null
  return resolveActor(credential, await readTenantDirectory())
}

class ConnectionWatch {
  readonly #dependencies: AccessWatchDependencies
  readonly #connections = new Map<string, Set<WatchedConnection>>()
  #cancelTimer: (() => void) | null = null
  #isChecking = false
  #isCheckRequested = false

  constructor(dependencies: AccessWatchDependencies) {
    this.#dependencies = dependencies
  }

  /** Watches a connection. The returned function stops watching it. */
  add(connection: WatchedConnection): () => void {
    const { credentialId } = connection
    const watchedConnections = this.#connections.get(credentialId) ?? new Set()
    this.#connections.set(credentialId, watchedConnections.add(connection))
    if (this.#cancelTimer === null) this.#schedule()
    return () => this.#remove(connection)
  }

  check(): void {
    if (this.#connections.size === 0) return
    this.#isCheckRequested = true
    if (this.#isChecking) return
    this.#isChecking = true
    this.#dependencies.background.run('check the access of open connections', () =>
      this.#checkAll().finally(() => {
        this.#isChecking = false
      }),
    )
  }

  #remove(connection: WatchedConnection): void {
    const { credentialId } = connection
    const watchedConnections = this.#connections.get(credentialId)
    watchedConnections?.delete(connection)
    if (watchedConnections?.size === 0) this.#connections.delete(credentialId)
    if (this.#connections.size > 0) return
    this.#cancelTimer?.()
    this.#cancelTimer = null
  }

  #schedule(): void {
    this.#cancelTimer = this.#dependencies.clock.after(CHECK_INTERVAL_MS, () => {
      this.#schedule()
      this.check()
    })
  }

  async #checkAll(): Promise<void> {
    const { database, readTenantDirectory } = this.#dependencies
    do {
      this.#isCheckRequested = false
      // The cached directory may predate a change on another node.
      if (!database.capabilities.seesAllWrites) readTenantDirectory.invalidate()
      for (const credentialId of [...this.#connections.keys()]) await this.#checkCredential(credentialId)
    } while (this.#isCheckRequested)
  }

  async #checkCredential(credentialId: string): Promise<void> {
    const actor = await findActor(this.#dependencies, credentialId)
    for (const connection of [...(this.#connections.get(credentialId) ?? [])]) {
      if (actor !== null && (await connection.isAllowed(actor))) continue
      if (this.#connections.get(credentialId)?.has(connection) !== true) continue
      this.#remove(connection)
      connection.onLost(actor === null ? 'unauthorized' : 'forbidden')
    }
  }
}
