import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import { startToolServer } from '../../../../../testing/tool-server/tool-server.ts'
import { createGuardedClient } from './guarded-request.ts'
import { blocked, setUp } from './guarded-request-test-kit.ts'
import { createTargetPolicy } from './target-policy.ts'

describe('targets', () => {
  test.each([
    '127.0.0.1',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '169.254.169.254',
    '[fd00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:7f00:1::]',
    '[::7f00:1]',
  ])('blocks the literal address %s', async (host) => {
    await using setup = await setUp({ allow: () => [] })
    const outcome = await setup.send({ url: `http://${host}:${setup.server.port}/` })
    expect(outcome).toMatchObject(blocked)
    expect(setup.server.requests).toHaveLength(0)
    expect(setup.resolved).toHaveLength(0)
  })

  test.each([
    ['localhost', ['127.0.0.1']],
    ['localhost', ['::1', '127.0.0.1']],
    ['metadata.test', ['169.254.169.254']],
    ['internal.test', ['10.0.0.5']],
    ['mapped.test', ['::ffff:127.0.0.1']],
    ['mixed.test', ['8.8.8.8', '127.0.0.1']],
    ['mixed.test', ['127.0.0.1', '8.8.8.8']],
  ])('blocks the name %s that resolves to %j', async (host, addresses) => {
    await using setup = await setUp({ allow: () => [], names: { [host]: [addresses] } })
    const outcome = await setup.send({ url: `http://${host}:${setup.server.port}/` })
    expect(outcome).toMatchObject(blocked)
    expect(JSON.stringify(outcome)).not.toMatch(/\d+\.\d+\.\d+\.\d+|::/)
    expect(setup.server.requests).toHaveLength(0)
  })

  test('an allowed name is reached through its checked address, resolved once', async () => {
    await using setup = await setUp({ allow: () => ['tools.test'], names: { 'tools.test': [['127.0.0.1']] } })
    const outcome = await setup.send({ url: `http://tools.test:${setup.server.port}/x` })
    expect(outcome).toMatchObject({ ok: true, status: 200 })
    expect(setup.resolved).toEqual(['tools.test'])
    expect(setup.server.requests[0]?.headers.host).toBe(`tools.test:${setup.server.port}`)
  })

  test('blocks the next connection when a name changes to a private address', async () => {
    await using setup = await setUp({ names: { 'rebind.test': [['127.0.0.1'], ['127.0.0.2']] } })
    const url = `http://rebind.test:${setup.server.port}/`
    setup.server.script({ kind: 'json', body: 1, headers: { connection: 'close' } })
    expect(await setup.send({ url })).toMatchObject({ ok: true })
    expect(setup.resolved).toHaveLength(1)
    expect(await setup.send({ url })).toMatchObject(blocked)
    expect(setup.server.requests).toHaveLength(1)
  })

  test.each(['ftp://example.test/', 'file:///etc/passwd', 'http://user:secret@example.test/', 'not a url', ''])(
    'the address "%s" is not requested',
    async (url) => {
      await using setup = await setUp()
      const outcome = await setup.send({ url })
      expect(outcome).toMatchObject({ ok: false, reason: 'invalid-request' })
      expect(JSON.stringify(outcome)).not.toContain('secret')
      expect(setup.resolved).toHaveLength(0)
    },
  )

  test('an unknown name is a network failure', async () => {
    await using setup = await setUp()
    const outcome = await setup.send({ url: 'http://nowhere.test/' })
    expect(outcome).toMatchObject({ ok: false, reason: 'network', message: 'The host name could not be resolved.' })
  })

  test('a closed port is a network failure that names no address', async () => {
    await using setup = await setUp()
    await setup.server.close()
    const outcome = await setup.send()
    expect(outcome).toMatchObject({ ok: false, reason: 'network', message: 'The server refused the connection.' })
  })
})

describe('redirects', () => {
  test.each(['http://169.254.169.254/latest/meta-data/', 'http://127.0.0.1:1/', 'http://private.test/', '//[::1]/'])(
    'to %s is refused',
    async (to) => {
      await using setup = await setUp({ names: { 'private.test': [['192.168.0.10']] } })
      setup.server.script({ kind: 'redirect', to })
      expect(await setup.send()).toMatchObject({ ok: false, reason: 'blocked-target' })
      expect(setup.server.requests).toHaveLength(1)
    },
  )

  test.each(['file:///etc/passwd', 'http://a:b@example.test/'])('to %s is not followed', async (to) => {
    await using setup = await setUp()
    setup.server.script({ kind: 'redirect', to })
    expect(await setup.send()).toMatchObject({ ok: false, reason: 'blocked-target', status: 302 })
  })

  test('to another origin drop credentials, cookies and custom headers', async () => {
    await using setup = await setUp({ names: { 'other.test': [['127.0.0.1']] } })
    setup.server.script({ kind: 'redirect', to: `http://other.test:${setup.server.port}/next`, status: 307 })
    const headers = { Authorization: 'Bearer t', Cookie: 'a=b', 'X-Key': 'k', 'Content-Type': 'text/plain' }
    const outcome = await setup.send({ method: 'POST', headers, body: 'hello' })
    expect(outcome).toMatchObject({ ok: true, url: `http://other.test:${setup.server.port}/next` })
    const second = setup.server.requests[1]
    expect(second).toMatchObject({ method: 'POST', headers: { 'content-type': 'text/plain' } })
    expect(second?.rawBody.toString()).toBe('hello')
    for (const name of ['authorization', 'cookie', 'x-key']) expect(second?.headers).not.toHaveProperty(name)
  })

  test('within an origin keep headers', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'redirect', to: '/next?a=b' })
    await setup.send({ headers: { authorization: 'Bearer t' } })
    expect(setup.server.requests[1]).toMatchObject({ path: '/next?a=b', headers: { authorization: 'Bearer t' } })
  })

  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [302, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ] as const)('%i turns %s into %s', async (status, method, expected) => {
    await using setup = await setUp()
    setup.server.script({ kind: 'redirect', to: '/next', status })
    await setup.send({ method, body: 'x', headers: { 'content-type': 'text/plain' } })
    const second = setup.server.requests[1]
    expect(second?.method).toBe(expected)
    expect(second?.rawBody.toString()).toBe(expected === 'GET' ? '' : 'x')
    expect(second?.headers['content-type']).toBe(expected === 'GET' ? undefined : 'text/plain')
  })

  test('end after five hops', async () => {
    await using setup = await setUp()
    setup.server.script(...Array.from({ length: 9 }, () => ({ kind: 'redirect', to: '/again' }) as const))
    expect(await setup.send({ maxRedirects: 50 })).toMatchObject({ ok: false, reason: 'too-many-redirects' })
    expect(setup.server.requests).toHaveLength(6)
  })

  test('are the response with a limit of 0', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'redirect', to: 'http://127.0.0.1:1/' })
    expect(await setup.send({ maxRedirects: 0 })).toMatchObject({ ok: true, status: 302 })
  })
})

describe('headers', () => {
  test.each([
    ['X-Name', 'a\r\nX-Injected: 1'],
    ['X-Name', 'a\nb'],
    ['X-Name', 'a\u0000b'],
    ['X-Name', 'Иван'],
    ['X-Name', '😀'],
  ])('%s: a value like %j is a failure that names the header', async (name, value) => {
    await using setup = await setUp()
    const outcome = await setup.send({ headers: { [name]: value } })
    expect(outcome).toMatchObject({ ok: false, reason: 'invalid-request' })
    expect(outcome.ok ? '' : outcome.message).toContain(`"${name}"`)
    expect(setup.server.requests).toHaveLength(0)
  })

  test.each(['', 'X Name', 'X:Name', 'X\nName', 'Имя'])('a name like "%s" is a failure', async (name) => {
    await using setup = await setUp()
    expect(await setup.send({ headers: { [name]: 'x' } })).toMatchObject({ ok: false, reason: 'invalid-request' })
  })

  test('too many are a failure', async () => {
    await using setup = await setUp()
    const outcome = await setup.send({ headers: { 'x-long': 'x'.repeat(40_000) } })
    expect(outcome).toMatchObject({ ok: false, reason: 'invalid-request' })
  })

  test('of the connection are dropped, others are sent', async () => {
    await using setup = await setUp()
    const owned = { Host: 'internal', 'Content-Length': '999', 'Transfer-Encoding': 'chunked', Connection: 'upgrade' }
    const outcome = await setup.send({
      method: 'POST',
      headers: { ...owned, Upgrade: 'websocket', Expect: '100-continue', 'X-Latin': 'Zoë', __proto__x: '1' },
      body: 'hello',
    })
    expect(outcome).toMatchObject({ ok: true, status: 200 })
    const received = setup.server.requests[0]?.headers
    expect(received).toMatchObject({ host: `127.0.0.1:${setup.server.port}`, 'content-length': '5', 'x-latin': 'Zoë' })
    expect(received).not.toHaveProperty('upgrade')
  })
})

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

  test('the headers of each hop may have a separate deadline', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'redirect', to: '/next' }, { kind: 'hang' })
    const outcome = setup.send({ timeoutMs: 5000, headersTimeoutMs: 1000 })
    await setup.server.received(2)
    setup.clock.advance(1000)
    expect(await outcome).toMatchObject({ ok: false, reason: 'timeout', message: expect.stringContaining('1000 ms') })
    await setup.server.abandoned()
    expect(setup.clock.timerCount).toBe(0)
  })

  test('a deadline for headers does not apply to the body', async () => {
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

  test('stops an endless body at the limit', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'flood', sizeBytes: 1_000_000_000 })
    expect(await setup.send()).toMatchObject({ ok: false, reason: 'too-large', status: 200 })
    await setup.server.abandoned()
  })

  test('does not read a body with a larger announced size', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'raw', body: 'x'.repeat(200_000), contentType: 'text/plain' })
    expect(await setup.send()).toMatchObject({ ok: false, reason: 'too-large', status: 200 })
  })

  test('limits a compressed body by its decompressed size', async () => {
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

  test('closing the client ends running requests with a value', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'hang' })
    const outcome = setup.send()
    await setup.server.received(1)
    await setup.client.close()
    expect(await outcome).toMatchObject({ ok: false, reason: 'network' })
    expect(await setup.send()).toMatchObject({ ok: false, reason: 'network' })
  })

  test('reuses connections, also after redirects', async () => {
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
