import type { Clock } from '@parley/engine/ports'
import type { AccessWatch, WatchedConnection } from '../../kernel/access-watch.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Background } from '../../kernel/background.ts'
import type { Bus } from '../../kernel/bus.ts'
import type { Database } from '../../kernel/database.ts'
import { ACCESS_CHANGED } from './access-service.ts'
import type { AccountReader } from './account-reader.ts'
import { findCredential } from './credential-store.ts'
import { resolveActor } from './resolve-actor.ts'

/** Finds expired credentials, and changes whose announcement was lost; leaves time for the check itself. */
const CHECK_EVERY_MS = 3_000

export interface AccessWatchDependencies {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly background: Pick<Background, 'run'>
  readonly readAccounts: AccountReader
  readonly sessionIdleMs: number
}

/** One timer for all connections of this process. A database that fails closes nothing; the next check tries again. */
export function createAccessWatch(dependencies: AccessWatchDependencies): AccessWatch {
  const { database, bus, clock, background, readAccounts, sessionIdleMs } = dependencies
  const connections = new Map<string, Set<WatchedConnection>>()
  let cancelTimer: (() => void) | null = null
  let isChecking = false
  let isCheckRequested = false

  async function actorOf(credentialId: string): Promise<Actor | null> {
    const credential = await findCredential(database.read, credentialId)
    if (credential === null) return null
    const idleAt = credential.lastUsedAt === null ? Number.POSITIVE_INFINITY : credential.lastUsedAt + sessionIdleMs
    if (Math.min(credential.expiresAt ?? Number.POSITIVE_INFINITY, idleAt) <= clock.now()) return null
    return resolveActor(credential, await readAccounts())
  }

  function remove(connection: WatchedConnection): void {
    const { credentialId } = connection
    const ofCredential = connections.get(credentialId)
    ofCredential?.delete(connection)
    if (ofCredential?.size === 0) connections.delete(credentialId)
    if (connections.size > 0) return
    cancelTimer?.()
    cancelTimer = null
  }

  async function checkCredential(credentialId: string): Promise<void> {
    const actor = await actorOf(credentialId)
    for (const connection of [...(connections.get(credentialId) ?? [])]) {
      if (actor !== null && (await connection.isAllowed(actor))) continue
      if (connections.get(credentialId)?.has(connection) !== true) continue
      remove(connection)
      connection.onLost(actor === null ? 'unauthorized' : 'forbidden')
    }
  }

  async function checkAll(): Promise<void> {
    do {
      isCheckRequested = false
      // The directory may be older than a change that another node made.
      if (!database.capabilities.knowsEveryWrite) readAccounts.forget()
      for (const credentialId of [...connections.keys()]) await checkCredential(credentialId)
    } while (isCheckRequested)
  }

  function check(): void {
    if (connections.size === 0) return
    isCheckRequested = true
    if (isChecking) return
    isChecking = true
    background.run('check the access of open connections', () =>
      checkAll().finally(() => {
        isChecking = false
      }),
    )
  }

  function schedule(): void {
    cancelTimer = clock.after(CHECK_EVERY_MS, () => {
      schedule()
      check()
    })
  }

  bus.subscribe(ACCESS_CHANGED, check)
  bus.onGap(check)
  return {
    actorOf,
    watch(connection) {
      const { credentialId } = connection
      const ofCredential = connections.get(credentialId) ?? new Set()
      connections.set(credentialId, ofCredential.add(connection))
      if (cancelTimer === null) schedule()
      return () => remove(connection)
    },
  }
}
