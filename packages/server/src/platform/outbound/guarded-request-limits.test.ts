import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import { startToolServer } from '../../../../../testing/tool-server/tool-server.ts'
import { createGuardedClient } from './guarded-request.ts'
import { setUp } from './guarded-request-test-kit.ts'
import { createTargetPolicy } from './target-policy.ts'

describe('limits', () => {
  test('a hanging server ends with the deadline, and the connection is closed', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'hang' })
    const outcome = setup.send({ timeoutMs: 5000 })
    await setup.server.received(1)
    setup.clock.advance(5000)
    expect(await outcome).toMatchObject({ ok: false, reason: 'timeout' })
    await setup.server.abandoned()
    expect(setup.clock.timerCount).toBe(0)
  })

  test('a slow body ends with the deadline', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'drip' })
    const outcome = setup.send({ maxResponseBytes: 1_000_000_000 })
    await setup.server.received(1)
    setup.clock.advance(5000)
    expect(await outcome).toMatchObject({ ok: false, reason: 'timeout' })
    await setup.server.abandoned()
  })

  test('the deadline covers all hops together', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'redirect', to: '/next' }, { kind: 'hang' })
    const outcome = setup.send({ timeoutMs: 5000 })
    await setup.server.received(2)
    setup.clock.advance(5000)
    expect(await outcome).toMatchObject({ ok: false, reason: 'timeout' })
  })

  test('headers may have a deadline of their own, at each hop', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'redirect', to: '/next' }, { kind: 'hang' })
    const outcome = setup.send({ timeoutMs: 5000, headersTimeoutMs: 1000 })
    await setup.server.received(2)
    setup.clock.advance(1000)
    expect(await outcome).toMatchObject({ ok: false, reason: 'timeout', message: expect.stringContaining('1000 ms') })
    await setup.server.abandoned()
    expect(setup.clock.timerCount).toBe(0)
  })

  test('a deadline for headers is none for the body', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'drip' })
    const outcome = setup.send({ timeoutMs: 5000, headersTimeoutMs: 1000, maxResponseBytes: 1_000_000_000 })
    await setup.server.received(1)
    await expect.poll(() => setup.clock.timerCount).toBe(1)
    setup.clock.advance(1000)
    const ended = await Promise.race([outcome, Promise.resolve('goes on')])
    expect(ended).toBe('goes on')
    setup.clock.advance(4000)
    expect(await outcome).toMatchObject({ reason: 'timeout', message: expect.stringContaining('5000 ms') })
  })

  test('a resolver that never answers ends with the deadline', async () => {
    const clock = createSteppedClock()
    const policy = createTargetPolicy({ allowPrivateTargets: [] })
    const client = createGuardedClient({
      clock,
      policy,
      resolve: () => new Promise(() => undefined),
      makeConnector: createLoopbackConnector,
    })
    const outcome = client.request({ url: 'http://slow.test/', method: 'GET', timeoutMs: 1000, maxResponseBytes: 10 })
    await clock.waitForTimer(1000)
    clock.advance(1000)
    expect(await outcome).toMatchObject({ ok: false, reason: 'timeout' })
    await client.close()
  })

  test('an endless body is cut off at the limit', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'flood', sizeBytes: 1_000_000_000 })
    expect(await setup.send()).toMatchObject({ ok: false, reason: 'too-large', status: 200 })
    await setup.server.abandoned()
  })

  test('an announced size above the limit is not read', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'raw', body: 'x'.repeat(200_000), contentType: 'text/plain' })
    expect(await setup.send()).toMatchObject({ ok: false, reason: 'too-large', status: 200 })
  })

  test('a compressed body counts with what it unfolds to', async () => {
    await using setup = await setUp()
    const headers = { 'content-encoding': 'gzip' }
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    setup.server.script(
      { kind: 'raw', body: gzipSync('small'), contentType: 'text/plain', headers },
      { kind: 'raw', body: bomb, contentType: 'text/plain', headers },
      { kind: 'raw', body: 'no gzip', contentType: 'text/plain', headers },
      { kind: 'raw', body: 'x', contentType: 'text/plain', headers: { 'content-encoding': 'constructor' } },
    )
    expect(await setup.send()).toMatchObject({ ok: true, body: Buffer.from('small') })
    expect(await setup.send()).toMatchObject({ ok: false, reason: 'too-large' })
    expect(await setup.send()).toMatchObject({ ok: false, reason: 'network' })
    expect(await setup.send()).toMatchObject({ ok: false, reason: 'network' })
  })

  test.each(['refuse', 'cut', 'wrong-length', 'garbage'] as const)('%s is a network failure', async (kind) => {
    await using setup = await setUp()
    setup.server.script({ kind })
    const outcome = await setup.send()
    expect(outcome).toMatchObject({ ok: false, reason: 'network' })
    expect(JSON.stringify(outcome)).not.toContain('127.0.0.1')
  })

  test('cancelling ends at once, before, during and after the headers', async () => {
    await using setup = await setUp()
    expect(await setup.send({ signal: AbortSignal.abort() })).toMatchObject({ ok: false, reason: 'cancelled' })
    expect(setup.server.requests).toHaveLength(0)
    setup.server.script({ kind: 'hang' }, { kind: 'drip' })
    for (const count of [1, 2]) {
      const controller = new AbortController()
      const outcome = setup.send({ signal: controller.signal, maxResponseBytes: 1_000_000_000 })
      await setup.server.received(count)
      controller.abort()
      expect(await outcome).toMatchObject({ ok: false, reason: 'cancelled' })
    }
    expect(setup.clock.timerCount).toBe(0)
  })

  test('closing the client ends requests under way as a value', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'hang' })
    const outcome = setup.send()
    await setup.server.received(1)
    await setup.client.close()
    expect(await outcome).toMatchObject({ ok: false, reason: 'network' })
    expect(await setup.send()).toMatchObject({ ok: false, reason: 'network' })
  })

  test('connections are used again, after redirects too', async () => {
    await using setup = await setUp()
    for (let round = 0; round < 5; round++) {
      setup.server.script({ kind: 'redirect', to: '/next' })
      await setup.send()
    }
    // Two and not one: the pool counts a connection as free a moment after its answer has ended.
    expect(Math.max(...setup.server.requests.map(({ connection }) => connection))).toBeLessThanOrEqual(2)
  })

  test('connections to one origin are bounded, through real sockets', async () => {
    const server = await startToolServer()
    const client = createGuardedClient({
      clock: createSteppedClock(),
      policy: createTargetPolicy({ allowPrivateTargets: ['127.0.0.1'] }),
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      connectionsPerOrigin: 3,
    })
    const request = {
      url: `http://tools.test:${server.port}/`,
      method: 'GET',
      timeoutMs: 5000,
      maxResponseBytes: 1000,
    } as const
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => client.request(request)))
    expect(outcomes.every((outcome) => outcome.ok)).toBe(true)
    expect(Math.max(...server.requests.map(({ connection }) => connection))).toBeLessThanOrEqual(3)
    await client.close()
    await server.close()
  })
})
