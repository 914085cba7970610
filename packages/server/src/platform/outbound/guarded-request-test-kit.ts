import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock, type SteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import { startToolServer, type ToolServer } from '../../../../../testing/tool-server/tool-server.ts'
import type { ResolveAddresses, ResolvedAddress } from './guarded-agent.ts'
import { createGuardedClient, type GuardedClient } from './guarded-request.ts'
import type { OutboundOutcome, OutboundRequest } from './outbound-request.ts'
import { createTargetPolicy } from './target-policy.ts'

export interface Setup extends AsyncDisposable {
  readonly server: ToolServer
  readonly client: GuardedClient
  readonly clock: SteppedClock
  /** Resolved names, in order. */
  readonly resolved: readonly string[]
  send(request?: Partial<OutboundRequest>): Promise<OutboundOutcome>
}

export interface SetupOptions {
  /** Successive responses of the resolver, by name. The last response repeats. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>
  readonly allow?: (server: ToolServer) => readonly string[]
}

export async function setUp(options: SetupOptions = {}): Promise<Setup> {
  const server = await startToolServer()
  const clock = createSteppedClock()
  const resolved: string[] = []
  const allow = options.allow ?? ((toolServer) => [`127.0.0.1:${toolServer.port}`])
  const client = createGuardedClient({
    clock,
    policy: createTargetPolicy({ allowPrivateTargets: allow(server) }),
    resolve: createFakeResolver(options.names ?? {}, resolved),
    makeConnector: createLoopbackConnector,
  })
  return {
    server,
    client,
    clock,
    resolved,
    send: (request) =>
      client.request({ url: `${server.url}/`, method: 'GET', timeoutMs: 5000, maxResponseBytes: 100_000, ...request }),
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await server.close()
    },
  }
}

/** Creates a resolver that responds from a table and records its queries. */
export function createFakeResolver(
  names: Readonly<Record<string, readonly (readonly string[])[]>>,
  resolved: string[],
): ResolveAddresses {
  return async (hostname): Promise<readonly ResolvedAddress[]> => {
    const responses = names[hostname]
    const callCount = resolved.filter((name) => name === hostname).length
    resolved.push(hostname)
    const addresses = responses?.[Math.min(callCount, responses.length - 1)]
    if (addresses === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
}

export const blocked = { ok: false, reason: 'blocked-target', status: null }
