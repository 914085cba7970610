import { describe, expect, test } from 'vitest'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import { startToolServer, type ToolServer } from '../../../../../testing/tool-server/tool-server.ts'
import { createMcpClient } from '../../integrations/mcp/mcp-client.ts'
import { createHttpToolClient } from '../../integrations/tools/http-tool-client.ts'
import { createWebPageFetcher } from '../../integrations/web-pages/web-pages.ts'
import { createGuardedAgent } from './guarded-agent.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { createGuardedClient, type GuardedClientOptions } from './guarded-request.ts'
import { createFakeResolver } from './guarded-request-test-kit.ts'
import { createGuardedSocketOpener } from './guarded-socket.ts'
import type { SendOutbound } from './outbound-request.ts'
import { createTargetPolicy } from './target-policy.ts'

/** What every way out answers, as far as it is the same. */
type Outcome = { readonly ok: true } | { readonly ok: false; readonly reason: string; readonly message: string }

/** One way out of the house to an address that a customer chose. */
interface OutboundPath {
  readonly name: string
  readonly scheme: 'http' | 'ws'
  open(guard: GuardedClientOptions): { call(url: string): Promise<Outcome>; close(): Promise<void> }
}

const NO_ROBOTS = { ok: true, status: 404, headers: {}, body: Buffer.alloc(0), url: '' } as const
const never = new AbortController().signal
const version = '0.0.0'
const timeoutMs = 5000

const OUTBOUND_PATHS: readonly OutboundPath[] = [
  {
    name: 'an HTTP tool',
    scheme: 'http',
    open(guard) {
      const client = createGuardedClient(guard)
      const tools = createHttpToolClient({
        request: client.request,
        readSecrets: async () => ['whsec_1'],
        clock: guard.clock,
        version,
      }).forWorkspace(1)
      const call = { toolCallId: 'call_1', name: 'tool', method: 'POST', headers: {}, queryParams: {} } as const
      const rest = { args: {}, argsAtRoot: true, conversation: {}, maxRetry: 0 } as const
      return {
        call: (url) => tools.call({ ...call, ...rest, url, timeoutMs, signal: never }),
        close: client.close,
      }
    },
  },
  {
    name: 'a webhook',
    scheme: 'http',
    open(guard) {
      const client = createGuardedClient(guard)
      return {
        call: (url) => client.request({ url, method: 'POST', body: '{}', timeoutMs, maxResponseBytes: 1000 }),
        close: client.close,
      }
    },
  },
  {
    name: 'an MCP server',
    scheme: 'http',
    open(guard) {
      const agent = createGuardedAgent(guard)
      const fetch = createGuardedFetch({ agent, clock: guard.clock })
      const client = createMcpClient({ fetch, clock: guard.clock, version })
      const server = { headers: { authorization: 'Bearer t' }, queryParams: {}, timeoutMs }
      return {
        call: (url) => client.call({ server: { ...server, url }, toolName: 'tool', args: {}, signal: never }),
        close: async () => {
          await Promise.all([client.close(), agent.destroy()])
        },
      }
    },
  },
  {
    name: 'a page',
    scheme: 'http',
    open(guard) {
      const client = createGuardedClient(guard)
      // Sites without a robots.txt; what one of those may do is tested with the pages.
      const send: SendOutbound = async (request) =>
        request.url.endsWith('/robots.txt') ? NO_ROBOTS : await client.request(request)
      const pages = createWebPageFetcher({ send, clock: guard.clock, pauseMs: 0 })
      return {
        async call(url) {
          const page = await pages.fetch(url, { etag: null, lastModified: null }, never)
          if (page.ok) return { ok: true }
          return {
            ok: false,
            reason: page.reason === 'refused' ? 'blocked-target' : page.reason,
            message: page.message,
          }
        },
        close: client.close,
      }
    },
  },
  {
    name: 'a WebSocket',
    scheme: 'ws',
    open(guard) {
      const open = createGuardedSocketOpener(guard)
      return { call: (url) => open({ url, timeoutMs, maxPayloadBytes: 1000 }), close: async () => undefined }
    },
  },
]

interface Scene {
  /** Answers of the resolver by name, one after another; the last one stays. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>
  /** Exceptions of the operator; none unless given. */
  readonly allow?: (server: ToolServer) => readonly string[]
}

/** A server on the loopback that nobody should reach, and one way out that could. */
async function setUp(outboundPath: OutboundPath, { names = {}, allow = () => [] }: Scene) {
  const server = await startToolServer()
  const resolved: string[] = []
  const { call, close } = outboundPath.open({
    clock: createSteppedClock(),
    policy: createTargetPolicy({ allowPrivateTargets: allow(server) }),
    resolve: createFakeResolver(names, resolved),
    makeConnector: createLoopbackConnector,
  })
  return {
    server,
    resolved,
    /** The address without its scheme. */
    call: (address: string) => call(`${outboundPath.scheme}://${address}`),
    callUrl: call,
    [Symbol.asyncDispose]: async () => {
      await close()
      await server.close()
    },
  }
}

function expectBlocked(outcome: Outcome): void {
  expect(outcome).toMatchObject({ ok: false, reason: 'blocked-target' })
  // Not even where it would have led.
  expect(JSON.stringify(outcome)).not.toMatch(/\d+\.\d+\.\d+\.\d+|::|fd00|metadata/)
}

const LITERALS = [
  // Loopback, in every spelling that a URL may have.
  '127.0.0.1',
  '127.0.0.1.',
  '127.255.255.254',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '①②⑦.⓪.⓪.①',
  '0.0.0.0',
  '0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  // Wrapped in IPv6: mapped, translated, compatible, NAT64, 6to4, Teredo.
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:a00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  // Metadata of clouds.
  '169.254.169.254',
  '2852039166',
  '[::ffff:a9fe:a9fe]',
  '[fd00:ec2::254]',
  '100.100.100.200',
  '192.0.0.192',
  // Private, link-local, shared, reserved, multicast.
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[fe80::1]',
  '[fec0::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
]

const RESOLVED: readonly (readonly string[])[] = [
  ['127.0.0.1'],
  ['::1'],
  ['::1', '127.0.0.1'],
  ['169.254.169.254'],
  ['fd00:ec2::254'],
  ['10.0.0.5'],
  ['::ffff:127.0.0.1'],
  ['::ffff:a9fe:a9fe'],
  ['64:ff9b::7f00:1'],
  ['2002:7f00:1::'],
  // One of several is enough.
  ['8.8.8.8', '127.0.0.1'],
  ['127.0.0.1', '8.8.8.8'],
  ['2606:4700::1111', '8.8.8.8', '192.168.0.1'],
]

const REDIRECTS = [
  'http://169.254.169.254/latest/meta-data/',
  'http://127.0.0.1:1/',
  'http://[::ffff:127.0.0.1]:1/',
  'http://2130706433:1/',
  'https://10.0.0.1/',
  'http://private.test/',
  'http://mixed.test/',
  '//[::1]/',
  '//private.test/',
  '///169.254.169.254/',
  '\\\\169.254.169.254\\',
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:6379/_PING',
  'data:text/plain,hello',
  'http://user:secret@private.test/',
]

describe.each(OUTBOUND_PATHS)('$name', (outboundPath) => {
  test.each(LITERALS)('blocks %s', async (host) => {
    await using scene = await setUp(outboundPath, {})
    expectBlocked(await scene.call(`${host}:${scene.server.port}/`))
    expect(scene.server.requests).toHaveLength(0)
    expect(scene.resolved).toHaveLength(0)
  })

  test.each(RESOLVED.map((addresses) => [addresses]))('blocks a name that resolves to %j', async (addresses) => {
    await using scene = await setUp(outboundPath, { names: { 'name.test': [addresses] } })
    expectBlocked(await scene.call(`name.test:${scene.server.port}/`))
    expect(scene.server.requests).toHaveLength(0)
  })

  test('connects to the checked address even if the name resolves differently later', async () => {
    const names = { 'rebind.test': [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.2']] }
    await using scene = await setUp(outboundPath, { names, allow: ({ port }) => [`127.0.0.1:${port}`] })
    const headers = { connection: 'close' }
    scene.server.script({ kind: 'json', body: {}, headers })
    await scene.call(`rebind.test:${scene.server.port}/`)
    expect(scene.resolved).toEqual(['rebind.test'])
    expect(scene.server.requests).toHaveLength(1)
    for (let round = 0; round < 2; round++) expectBlocked(await scene.call(`rebind.test:${scene.server.port}/`))
    expect(scene.server.requests).toHaveLength(1)
  })

  describe.each([302, 307])('does not follow a redirect with status %i', (status) => {
    test.each(REDIRECTS)('to %s', async (to) => {
      const names = { 'private.test': [['192.168.0.10']], 'mixed.test': [['8.8.8.8', '10.0.0.1']] }
      await using scene = await setUp(outboundPath, { names, allow: ({ port }) => [`127.0.0.1:${port}`] })
      scene.server.script({ kind: 'redirect', to, status })
      const outcome = await scene.call(`127.0.0.1:${scene.server.port}/`)
      expectBlocked(outcome)
      expect(JSON.stringify(outcome)).not.toMatch(/secret|passwd|private\.test/)
      expect(scene.server.requests).toHaveLength(1)
    })
  })

  test('does not follow a chain of redirects', async () => {
    await using scene = await setUp(outboundPath, { allow: ({ port }) => [`127.0.0.1:${port}`] })
    scene.server.script(
      { kind: 'redirect', to: '/next', status: 307 },
      { kind: 'redirect', to: '//169.254.169.254/', status: 307 },
    )
    expectBlocked(await scene.call(`127.0.0.1:${scene.server.port}/`))
    expect(scene.server.requests.length).toBeLessThanOrEqual(2)
  })

  test('does not follow a redirect from an allowed port to another one', async () => {
    await using scene = await setUp(outboundPath, { allow: ({ port }) => [`127.0.0.1:${port}`] })
    await using other = await startToolServer()
    scene.server.script({ kind: 'redirect', to: `http://127.0.0.1:${other.port}/`, status: 307 })
    expectBlocked(await scene.call(`127.0.0.1:${scene.server.port}/`))
    expectBlocked(await scene.call(`127.0.0.1:${other.port}/`))
    expect(other.requests).toHaveLength(0)
  })

  test.each([
    'user:secret@127.0.0.1:PORT/',
    'user:secret@public.test:PORT/',
    '8.8.8.8@127.0.0.1:PORT/',
    'public.test%00@127.0.0.1:PORT/',
    ':@127.0.0.1:PORT/',
  ])('blocks %s', async (address) => {
    await using scene = await setUp(outboundPath, { names: { 'public.test': [['8.8.8.8']] } })
    const outcome = await scene.call(address.replace('PORT', String(scene.server.port)))
    expect(outcome.ok).toBe(false)
    expect(JSON.stringify(outcome)).not.toContain('secret')
    expect(scene.server.requests).toHaveLength(0)
    expect(scene.resolved).toHaveLength(0)
  })

  test.each(['file:///etc/passwd', 'unix:/var/run/docker.sock', 'ws+unix:/var/run/docker.sock', 'data:,x', 'x', ''])(
    'is not called at "%s"',
    async (url) => {
      await using scene = await setUp(outboundPath, {})
      expect(await scene.callUrl(url)).toMatchObject({ ok: false })
      expect(scene.resolved).toHaveLength(0)
    },
  )

  test('allows targets that the operator permits', async () => {
    const names = { 'tools.internal': [['127.0.0.1']] }
    await using scene = await setUp(outboundPath, { names, allow: () => ['tools.internal'] })
    await scene.call(`tools.internal:${scene.server.port}/path`)
    expect(scene.server.requests).toMatchObject([{ path: '/path' }])
    expect(scene.resolved).toEqual(['tools.internal'])
  })
})
