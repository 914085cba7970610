import type { McpServer } from '@parley/engine/ports'
import {
  type McpServerOptions,
  type McpTestServer,
  startMcpServer,
} from '../../../../../testing/mcp-server/mcp-server.ts'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock, type SteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import { createGuardedAgent } from '../../platform/outbound/guarded-agent.ts'
import { createGuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'
import { createMcpClient } from './mcp-client.ts'

type Client = ReturnType<typeof createMcpClient>

export interface McpSetup extends AsyncDisposable {
  readonly server: McpTestServer
  readonly clock: SteppedClock
  readonly client: Client
  list(changes?: Partial<McpServer>, signal?: AbortSignal): ReturnType<Client['listTools']>
  call(toolName: string, args?: Record<string, string | number>, changes?: CallChanges): ReturnType<Client['call']>
}

interface CallChanges {
  readonly server?: Partial<McpServer>
  readonly signal?: AbortSignal
}

/** Opens a client in virtual time that can connect to only one test server. */
export async function setUpMcp(options: McpServerOptions = {}): Promise<McpSetup> {
  const server = await startMcpServer(options)
  const clock = createSteppedClock()
  const agent = createGuardedAgent({
    policy: createTargetPolicy({ allowPrivateTargets: [`127.0.0.1:${server.port}`] }),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    makeConnector: createLoopbackConnector,
  })
  const client = createMcpClient({ fetch: createGuardedFetch({ agent, clock }), clock, version: '1.2.3' })
  const defaultServer: McpServer = { url: server.url, headers: {}, queryParams: {}, timeoutMs: 5000 }
  const neverAborted = new AbortController().signal
  return {
    server,
    clock,
    client,
    list: (changes, signal = neverAborted) => client.listTools({ ...defaultServer, ...changes }, signal),
    call: (toolName, args = {}, changes = {}) =>
      client.call({
        server: { ...defaultServer, ...changes.server },
        toolName,
        args,
        signal: changes.signal ?? neverAborted,
      }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([client.close(), agent.destroy()])
      await server.close()
    },
  }
}
