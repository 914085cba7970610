import { describe, expect, test } from 'vitest'
import { AppError } from '../kernel/errors.ts'
import {
  BEARER,
  createThing,
  mountAny,
  NARROW_TOKEN,
  OTHER_TOKEN,
  SAME_USER_TOKEN,
  startTestServer,
  type TestServer,
} from './http-test-kit.ts'

const DAY_MS = 24 * 60 * 60 * 1000

interface Setup {
  readonly server: TestServer
  /** Returns the number of handler runs. */
  countRuns(): number
}

async function startCountingServer(handle?: (run: number) => Promise<unknown>): Promise<Setup & AsyncDisposable> {
  let runs = 0
  const server = await startTestServer((api) =>
    mountAny(api, createThing, async ({ body }, context) => {
      runs += 1
      context.setEtag(runs)
      return handle ? await handle(runs) : { run: runs, body }
    }),
  )
  return { server, countRuns: () => runs, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

interface SendOptions {
  readonly key?: string
  readonly name?: string
  readonly url?: string
  readonly token?: string
  /** Workspace id in the body. */
  readonly workspaceId?: number | null
  readonly headers?: Readonly<Record<string, string>>
}

async function send(server: TestServer, options: SendOptions = {}) {
  const { key = 'k1', name = 'a', url = '/api/things', token, workspaceId = 1, headers = {} } = options
  const authorization = token === undefined ? BEARER.authorization : `Bearer ${token}`
  return await server.fastify.inject({
    method: 'POST',
    url,
    headers: { authorization, 'idempotency-key': key, ...headers },
    payload: { ...(workspaceId !== null && { workspaceId }), display_name: name },
  })
}

/** Creates a promise that `open` resolves. */
function createGate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

describe('a POST with a key', () => {
  test('runs once and replays the response', async () => {
    await using setup = await startCountingServer()
    const first = await send(setup.server)
    const second = await send(setup.server)
    expect(setup.countRuns()).toBe(1)
    expect([second.statusCode, second.body, second.headers['etag']]).toEqual([201, first.body, '"1"'])
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(second.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'content-type': first.headers['content-type'],
    })
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
  })

  test('is rejected with another body', async () => {
    await using setup = await startCountingServer()
    await send(setup.server)
    const otherResponse = await send(setup.server, { name: 'b' })
    expect([otherResponse.statusCode, otherResponse.json().code]).toEqual([422, 'idempotency_key_reused'])
    expect(setup.countRuns()).toBe(1)
  })

  test('is scoped by actor, path and key', async () => {
    await using setup = await startCountingServer()
    await send(setup.server)
    await send(setup.server, { token: OTHER_TOKEN })
    await send(setup.server, { url: '/api/v1/things' })
    await send(setup.server, { key: 'k2' })
    expect(setup.countRuns()).toBe(4)
  })

  test('is scoped by workspace and context', async () => {
    await using setup = await startCountingServer()
    const sendWithBody = (workspaceId: number) => send(setup.server, { workspaceId })
    const sendWithHeader = (id: string) =>
      send(setup.server, { workspaceId: null, key: 'k2', headers: { 'x-workspace-id': id } })
    const responses = [await sendWithBody(1), await sendWithHeader('1'), await sendWithHeader('2')]
    expect(responses.map(({ json }) => json().run)).toEqual([1, 2, 3])
    // Here the body also differs.
    expect((await sendWithBody(2)).json().run).toBe(4)
    expect((await send(setup.server, { headers: { 'x-actor-type': 'end_user' } })).json().run).toBe(5)
    expect((await sendWithHeader('2')).json().run).toBe(3)
  })

  test('is replayed to another credential only with the same rights', async () => {
    await using setup = await startCountingServer()
    const first = await send(setup.server)
    const sameUserResponse = await send(setup.server, { token: SAME_USER_TOKEN })
    expect([sameUserResponse.body, sameUserResponse.headers['idempotent-replayed']]).toEqual([first.body, 'true'])
    const narrowResponse = await send(setup.server, { token: NARROW_TOKEN })
    expect([narrowResponse.statusCode, narrowResponse.json().code]).toEqual([422, 'idempotency_key_reused'])
    expect(narrowResponse.json().error).toContain('credential')
    await send(setup.server, { token: NARROW_TOKEN, key: 'k2' })
    expect((await send(setup.server, { key: 'k2' })).headers['idempotent-replayed']).toBe('true')
    expect(setup.countRuns()).toBe(2)
  })

  test('is rejected while the first request is running', async () => {
    const firstStarted = createGate()
    const releaseFirst = createGate()
    await using setup = await startCountingServer(async () => {
      firstStarted.open()
      await releaseFirst.opened
      return { done: true }
    })
    const first = send(setup.server)
    await firstStarted.opened
    const second = await send(setup.server)
    expect([second.statusCode, second.json().code, second.headers['retry-after']]).toEqual([
      409,
      'idempotency_in_progress',
      '1',
    ])
    releaseFirst.open()
    expect((await first).statusCode).toBe(201)
    expect((await send(setup.server)).headers['idempotent-replayed']).toBe('true')
  })

  test('takes over the key after a crash, and the late first request cannot release or replace it', async () => {
    const firstStarted = createGate()
    const secondStarted = createGate()
    const releaseFirst = createGate()
    const releaseSecond = createGate()
    await using setup = await startCountingServer(async (run) => {
      if (run === 1) {
        firstStarted.open()
        await releaseFirst.opened
        throw new Error('too late')
      }
      secondStarted.open()
      await releaseSecond.opened
      return { run }
    })
    const first = send(setup.server)
    await firstStarted.opened
    await setup.server.manual.advance(59_999)
    expect((await send(setup.server)).statusCode).toBe(409)
    await setup.server.manual.advance(1)
    expect((await send(setup.server, { name: 'b' })).statusCode).toBe(422)
    const second = send(setup.server)
    await secondStarted.opened
    releaseFirst.open()
    expect((await first).statusCode).toBe(500)
    expect((await send(setup.server)).statusCode).toBe(409)
    releaseSecond.open()
    expect((await second).json()).toEqual({ run: 2 })
    expect((await send(setup.server)).json()).toEqual({ run: 2 })
    expect(setup.countRuns()).toBe(2)
  })

  test('releases the key after an internal error', async () => {
    await using setup = await startCountingServer(async (run) => {
      if (run === 1) throw new Error('broken')
      return { run }
    })
    expect((await send(setup.server)).statusCode).toBe(500)
    expect((await send(setup.server)).json()).toEqual({ run: 2 })
  })

  test('replays errors', async () => {
    await using setup = await startCountingServer(async () => Promise.reject(new AppError('in_use', 'In use.')))
    const first = await send(setup.server)
    const second = await send(setup.server)
    expect([first.statusCode, second.statusCode, setup.countRuns()]).toEqual([422, 422, 1])
    expect(second.body).toBe(first.body)
    expect(second.headers['idempotent-replayed']).toBe('true')
  })

  test('does not store retryable errors', async () => {
    await using setup = await startCountingServer(async (run) => {
      if (run === 1) throw new AppError('concurrency_limit_reached', 'Full.', { retryAfterMs: 1000 })
      return { run }
    })
    expect((await send(setup.server)).statusCode).toBe(429)
    expect((await send(setup.server)).json()).toEqual({ run: 2 })
  })

  test('does not use the key when invalid', async () => {
    await using setup = await startCountingServer()
    expect((await send(setup.server, { name: 'x'.repeat(21) })).statusCode).toBe(400)
    expect((await send(setup.server)).statusCode).toBe(201)
  })

  test('replays empty responses', async () => {
    await using setup = await startCountingServer(async () => undefined)
    const first = await send(setup.server)
    const second = await send(setup.server)
    expect([second.statusCode, second.body, setup.countRuns()]).toEqual([first.statusCode, '', 1])
  })

  test.each(['', 'k'.repeat(256)])('is rejected when empty or too long', async (key) => {
    await using setup = await startCountingServer()
    const response = await send(setup.server, { key })
    expect(response.json()).toMatchObject({ status: 400, details: [{ path: 'Idempotency-Key' }] })
    expect((await send(setup.server, { key: 'k'.repeat(255) })).statusCode).toBe(201)
  })

  test('expires after a day', async () => {
    await using setup = await startCountingServer()
    const { manual, idempotency, database } = setup.server
    await send(setup.server)
    await manual.advance(DAY_MS - 1)
    await idempotency.sweep()
    expect((await send(setup.server)).headers['idempotent-replayed']).toBe('true')
    await manual.advance(1)
    expect((await send(setup.server, { name: 'b' })).statusCode).toBe(201)
    expect(setup.countRuns()).toBe(2)
    await manual.advance(DAY_MS)
    await idempotency.sweep()
    expect(await (await database()).read.selectFrom('idempotency_keys').selectAll().execute()).toEqual([])
  })

  test('is stored encrypted and without the key', async () => {
    await using setup = await startCountingServer()
    await send(setup.server, { key: 'my-order-1', name: 'Jane Doe' })
    const rows = await (await setup.server.database()).read.selectFrom('idempotency_keys').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(rows[0]?.answer).toMatch(/^[\w-]{60,}$/)
    expect(JSON.stringify(rows)).not.toMatch(/Jane|my-order/)
    expect(Buffer.from(rows[0]?.answer ?? '', 'base64url').toString()).not.toContain('Jane')
  })

  test('runs once for concurrent requests', async () => {
    await using setup = await startCountingServer()
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(setup.server)))
    expect(setup.countRuns()).toBe(1)
    for (const response of responses) expect([201, 409]).toContain(response.statusCode)
  })
})

test('returns and logs when the response cannot be stored', async () => {
  await using setup = await startCountingServer(async (run) => {
    await (await setup.server.database()).close()
    return { run }
  })
  const response = await send(setup.server)
  expect([response.statusCode, response.json()]).toEqual([201, { run: 1 }])
  expect(setup.server.log.filter(({ level }) => level === 'error').map(({ event }) => event)).toEqual([
    'failed to store the response for an idempotency key',
  ])
})
