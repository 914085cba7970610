import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import { startToolServer } from '../../../../../testing/tool-server/tool-server.ts'
import { createGuardedAgent } from './guarded-agent.ts'
import { createGuardedFetch, type FetchRequest } from './guarded-fetch.ts'
import { createTargetPolicy } from './target-policy.ts'

async function setUp() {
  const server = await startToolServer()
  const clock = createSteppedClock()
  const agent = createGuardedAgent({
    policy: createTargetPolicy({ allowPrivateTargets: [`127.0.0.1:${server.port}`] }),
    makeConnector: createLoopbackConnector,
  })
  const fetch = createGuardedFetch({ agent, clock })
  return {
    server,
    clock,
    fetch: (changes: Partial<FetchRequest> = {}) =>
      fetch(server.url, { method: 'GET', timeoutMs: 5000, maxResponseBytes: 100_000, ...changes }),
    [Symbol.asyncDispose]: async () => {
      await agent.destroy()
      await server.close()
    },
  }
}

test('responds like fetch and releases its resources after the last byte', async () => {
  await using setup = await setUp()
  setup.server.script({ kind: 'json', status: 404, body: { a: 1 }, headers: { 'x-key': 'k' } })
  const response = await setup.fetch({ method: 'POST', headers: { 'X-Name': 'n', Host: 'internal' }, body: 'hello' })
  expect(response.status).toBe(404)
  expect(response.headers.get('x-key')).toBe('k')
  expect(await response.json()).toEqual({ a: 1 })
  expect(setup.clock.timerCount).toBe(0)
  const [request] = setup.server.requests
  expect(request).toMatchObject({ method: 'POST', headers: { 'x-name': 'n', host: `127.0.0.1:${setup.server.port}` } })
  expect(request?.rawBody.toString()).toBe('hello')
})

test('returns redirects', async () => {
  await using setup = await setUp()
  setup.server.script({ kind: 'redirect', to: 'http://169.254.169.254/' })
  const response = await setup.fetch()
  expect([response.status, response.headers.get('location')]).toEqual([302, 'http://169.254.169.254/'])
  expect(setup.server.requests).toHaveLength(1)
})

describe('a response that is too large', () => {
  const gzip = { contentType: 'text/plain', headers: { 'content-encoding': 'gzip' } }
  test.each([
    { kind: 'raw', body: 'x'.repeat(200_000), contentType: 'text/plain' },
    { kind: 'flood', sizeBytes: 1_000_000_000 },
    { kind: 'raw', body: gzipSync(Buffer.alloc(50_000_000)), ...gzip },
  ] as const)('is cut off: case %#', async (reply) => {
    await using setup = await setUp()
    setup.server.script(reply)
    const text = setup.fetch().then((response) => response.text())
    await expect(text).rejects.toMatchObject({ reason: 'too-large' })
    expect(setup.clock.timerCount).toBe(0)
  })

  test('allows a small compressed response', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'raw', body: gzipSync('small'), ...gzip })
    expect(await (await setup.fetch()).text()).toBe('small')
  })
})

test.each([
  ['garbage', /not valid HTTP/],
  ['refuse', /closed the connection/],
  ['cut', /closed the connection/],
] as const)('a server that answers with "%s" is a failure that names no address', async (kind, message) => {
  await using setup = await setUp()
  setup.server.script({ kind })
  const text = setup.fetch().then((response) => response.text())
  await expect(text).rejects.toMatchObject({ reason: 'network', message: expect.stringMatching(message) })
})

test.each(['hang', 'drip'] as const)('the deadline and cancellation end a "%s"', async (kind) => {
  await using setup = await setUp()
  setup.server.script({ kind }, { kind })
  const late = setup.fetch({ maxResponseBytes: 1_000_000_000 }).then((response) => response.text())
  await setup.server.received(1)
  setup.clock.advance(5000)
  await expect(late).rejects.toMatchObject({ reason: 'timeout' })
  await setup.server.abandoned()
  const controller = new AbortController()
  const given = setup.fetch({ maxResponseBytes: 1_000_000_000, signal: controller.signal })
  const text = given.then((response) => response.text())
  await setup.server.received(2)
  controller.abort()
  await expect(text).rejects.toMatchObject({ reason: 'cancelled' })
  expect(setup.clock.timerCount).toBe(0)
})

test('releases a canceled body', async () => {
  await using setup = await setUp()
  setup.server.script({ kind: 'drip' })
  const response = await setup.fetch()
  await response.body?.cancel()
  await setup.server.abandoned()
  expect(setup.clock.timerCount).toBe(0)
})
