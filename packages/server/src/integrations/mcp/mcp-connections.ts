import type { McpServer } from '@parley/engine/ports'
import { type ConnectionDependencies, type McpConnection, openMcpConnection } from './mcp-connection.ts'
import { McpProblem } from './mcp-problem.ts'

/** A connection that is used for one operation, among others at the same time. */
export interface ConnectionLease {
  /** Rejects with an `McpProblem` when the server cannot be connected to. */
  readonly connection: Promise<McpConnection>
  /** It was there before, so that the server may have forgotten its session. */
  readonly isKept: boolean
  /** Must be called once. A broken connection is not used again. */
  release(isBroken: boolean): void
}

/** The connections to servers, one per setting, kept for a short time between calls. */
export interface McpConnections {
  lease(server: McpServer): ConnectionLease
  /** Closes all of them; nothing can be leased afterwards. */
  close(): Promise<void>
}

const IDLE_MS = 60_000
/** More are opened when they are needed, but closed right after use. */
const MAX_IDLE_CONNECTIONS = 200

interface Entry {
  readonly key: string
  readonly connection: Promise<McpConnection>
  /** Gives up connecting. */
  readonly abort: () => void
  users: number
  /** Not used again: broken, pushed out, or above the bound. */
  isRetired: boolean
  cancelIdleTimer: () => void
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the methods of one pool share its state.
export function createMcpConnections(dependencies: ConnectionDependencies): McpConnections {
  const kept = new Map<string, Entry>()
  /** Those that are not kept but in use as well. */
  const open = new Set<Entry>()
  const closings = new Set<Promise<void>>()
  let isClosed = false

  return {
    lease(server) {
      const key = settingKey(server)
      const found = isClosed ? undefined : kept.get(key)
      const entry = found ?? connect(server, key)
      entry.cancelIdleTimer()
      entry.users++
      // The longest unused one is the first in the map.
      if (kept.delete(key)) kept.set(key, entry)
      let isReleased = false
      return {
        connection: entry.connection,
        isKept: found !== undefined,
        release(isBroken) {
          if (isReleased) return
          isReleased = true
          entry.users--
          if (isBroken || entry.isRetired) retire(entry)
          else if (entry.users === 0) entry.cancelIdleTimer = dependencies.clock.after(IDLE_MS, () => retire(entry))
        },
      }
    },
    async close() {
      isClosed = true
      for (const entry of [...open]) {
        entry.abort()
        entry.users = 0
        retire(entry)
      }
      await Promise.all(closings)
    },
  }

  function connect(server: McpServer, key: string): Entry {
    const controller = new AbortController()
    const entry: Entry = {
      key,
      connection: isClosed
        ? Promise.reject(new McpProblem('cancelled', 'The platform is shutting down.'))
        : openMcpConnection(server, controller.signal, dependencies),
      abort: () => controller.abort(),
      users: 0,
      isRetired: !hasRoom(),
      cancelIdleTimer: () => undefined,
    }
    // Told to whoever leases it, unless the lease was given up by then.
    entry.connection.catch(() => retire(entry))
    open.add(entry)
    if (!entry.isRetired) kept.set(key, entry)
    return entry
  }

  function hasRoom(): boolean {
    if (kept.size < MAX_IDLE_CONNECTIONS) return true
    const idle = [...kept.values()].find((entry) => entry.users === 0)
    if (idle !== undefined) retire(idle)
    return idle !== undefined
  }

  /** Takes it out of use; it is closed when nobody uses it any more. */
  function retire(entry: Entry): void {
    entry.cancelIdleTimer()
    entry.isRetired = true
    if (kept.get(entry.key) === entry) kept.delete(entry.key)
    if (entry.users > 0 || !open.delete(entry)) return
    const closing: Promise<void> = entry.connection
      .then((connection) => connection.close())
      // One that never was has nothing to close.
      .catch(() => undefined)
      .finally(() => closings.delete(closing))
    closings.add(closing)
  }
}

/** Equal for servers that one session may serve: the same address asked with the same credentials. */
function settingKey({ url, headers, queryParams }: McpServer): string {
  const sorted = (map: Readonly<Record<string, string>>) =>
    Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([url, sorted(headers), sorted(queryParams)])
}
