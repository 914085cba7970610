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

interface Scene {
  readonly server: TestServer
  /** Number of handler runs. */
  runs(): number
}

async function countingServer(handle?: (run: number) => Promise<unknown>): Promise<Scene & AsyncDisposable> {
  let runs = 0
  const server = await startTestServer((api) =>
    mountAny(api, createThing, async ({ body }, context) => {
      runs += 1
      context.setEtag(runs)
      return handle ? await handle(runs) : { run: runs, body }
    }),
  )
  return { server, runs: () => runs, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

interface SendOptions {
  readonly key?: string
  readonly name?: string
  readonly url?: string
  readonly token?: string
  /** In the body. */
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

/** A promise with its resolver. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

describe('a POST with a key', () => {
  test('runs once and replays the response', async () => {
    await using scene = await countingServer()
    const first = await send(scene.server)
    const second = await send(scene.server)
    expect(scene.runs()).toBe(1)
    expect([second.statusCode, second.body, second.headers['etag']]).toEqual([201, first.body, '"1"'])
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(second.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'content-type': first.headers['content-type'],
    })
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
  })

  test('is rejected with another body', async () => {
    await using scene = await countingServer()
    await send(scene.server)
    const other = await send(scene.server, { name: 'b' })
    expect([other.statusCode, other.json().code]).toEqual([422, 'idempotency_key_reused'])
    expect(scene.runs()).toBe(1)
  })

  test('is scoped by actor, path and key', async () => {
    await using scene = await countingServer()
    await send(scene.server)
    await send(scene.server, { token: OTHER_TOKEN })
    await send(scene.server, { url: '/api/v1/things' })
    await send(scene.server, { key: 'k2' })
    expect(scene.runs()).toBe(4)
  })

  test('is scoped by workspace, also from the header, and by context', async () => {
    await using scene = await countingServer()
    const inBody = (workspaceId: number) => send(scene.server, { workspaceId })
    const inHeader = (id: string) =>
      send(scene.server, { workspaceId: null, key: 'k2', headers: { 'x-workspace-id': id } })
    const answers = [await inBody(1), await inHeader('1'), await inHeader('2')]
    expect(answers.map(({ json }) => json().run)).toEqual([1, 2, 3])
    // Here the body also differs.
    expect((await inBody(2)).json().run).toBe(4)
    expect((await send(scene.server, { headers: { 'x-actor-type': 'end_user' } })).json().run).toBe(5)
    expect((await inHeader('2')).json().run).toBe(3)
  })

  test('is replayed to another credential only when it has the rights of the first', async () => {
    await using scene = await countingServer()
    const first = await send(scene.server)
    const twin = await send(scene.server, { token: SAME_USER_TOKEN })
    expect([twin.body, twin.headers['idempotent-replayed']]).toEqual([first.body, 'true'])
    const narrow = await send(scene.server, { token: NARROW_TOKEN })
    expect([narrow.statusCode, narrow.json().code]).toEqual([422, 'idempotency_key_reused'])
    expect(narrow.json().error).toContain('credential')
    await send(scene.server, { token: NARROW_TOKEN, key: 'k2' })
    expect((await send(scene.server, { key: 'k2' })).headers['idempotent-replayed']).toBe('true')
    expect(scene.runs()).toBe(2)
  })

  test('is rejected while the first is running', async () => {
    const running = gate()
    const release = gate()
    await using scene = await countingServer(async () => {
      running.open()
      await release.opened
      return { done: true }
    })
    const first = send(scene.server)
    await running.opened
    const second = await send(scene.server)
    expect([second.statusCode, second.json().code, second.headers['retry-after']]).toEqual([
      409,
      'idempotency_in_progress',
      '1',
    ])
    release.open()
    expect((await first).statusCode).toBe(201)
    expect((await send(scene.server)).headers['idempotent-replayed']).toBe('true')
  })

  test('takes over the key after a crash; the late first neither releases nor replaces it', async () => {
    const firstRuns = gate()
    const secondRuns = gate()
    const releaseFirst = gate()
    const releaseSecond = gate()
    await using scene = await countingServer(async (run) => {
      if (run === 1) {
        firstRuns.open()
        await releaseFirst.opened
        throw new Error('too late')
      }
      secondRuns.open()
      await releaseSecond.opened
      return { run }
    })
    const first = send(scene.server)
    await firstRuns.opened
    await scene.server.manual.advance(59_999)
    expect((await send(scene.server)).statusCode).toBe(409)
    await scene.server.manual.advance(1)
    expect((await send(scene.server, { name: 'b' })).statusCode).toBe(422)
    const second = send(scene.server)
    await secondRuns.opened
    releaseFirst.open()
    expect((await first).statusCode).toBe(500)
    expect((await send(scene.server)).statusCode).toBe(409)
    releaseSecond.open()
    expect((await second).json()).toEqual({ run: 2 })
    expect((await send(scene.server)).json()).toEqual({ run: 2 })
    expect(scene.runs()).toBe(2)
  })

  test('releases the key after an internal error', async () => {
    await using scene = await countingServer(async (run) => {
      if (run === 1) throw new Error('broken')
      return { run }
    })
    expect((await send(scene.server)).statusCode).toBe(500)
    expect((await send(scene.server)).json()).toEqual({ run: 2 })
  })

  test('replays errors', async () => {
    await using scene = await countingServer(async () => Promise.reject(new AppError('in_use', 'In use.')))
    const first = await send(scene.server)
    const second = await send(scene.server)
    expect([first.statusCode, second.statusCode, scene.runs()]).toEqual([422, 422, 1])
    expect(second.body).toBe(first.body)
    expect(second.headers['idempotent-replayed']).toBe('true')
  })

  test('does not store retryable errors', async () => {
    await using scene = await countingServer(async (run) => {
      if (run === 1) throw new AppError('concurrency_limit_reached', 'Full.', { retryAfterMs: 1000 })
      return { run }
    })
    expect((await send(scene.server)).statusCode).toBe(429)
    expect((await send(scene.server)).json()).toEqual({ run: 2 })
  })

  test('does not use up the key when invalid', async () => {
    await using scene = await countingServer()
    expect((await send(scene.server, { name: 'x'.repeat(21) })).statusCode).toBe(400)
    expect((await send(scene.server)).statusCode).toBe(201)
  })

  test('replays empty responses', async () => {
    await using scene = await countingServer(async () => undefined)
    const first = await send(scene.server)
    const second = await send(scene.server)
    expect([second.statusCode, second.body, scene.runs()]).toEqual([first.statusCode, '', 1])
  })

  test.each(['', 'k'.repeat(256)])('is rejected when empty or too long', async (key) => {
    await using scene = await countingServer()
    const answer = await send(scene.server, { key })
    expect(answer.json()).toMatchObject({ status: 400, details: [{ path: 'Idempotency-Key' }] })
    expect((await send(scene.server, { key: 'k'.repeat(255) })).statusCode).toBe(201)
  })

  test('expires after a day', async () => {
    await using scene = await countingServer()
    const { manual, idempotency, database } = scene.server
    await send(scene.server)
    await manual.advance(DAY_MS - 1)
    await idempotency.sweep()
    expect((await send(scene.server)).headers['idempotent-replayed']).toBe('true')
    await manual.advance(1)
    expect((await send(scene.server, { name: 'b' })).statusCode).toBe(201)
    expect(scene.runs()).toBe(2)
    await manual.advance(DAY_MS)
    await idempotency.sweep()
    expect(await (await database()).read.selectFrom('idempotency_keys').selectAll().execute()).toEqual([])
  })

  test('is stored encrypted and without the key', async () => {
    await using scene = await countingServer()
    await send(scene.server, { key: 'my-order-1', name: 'Jane Doe' })
    const rows = await (await scene.server.database()).read.selectFrom('idempotency_keys').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(rows[0]?.answer).toMatch(/^[\w-]{60,}$/)
    expect(JSON.stringify(rows)).not.toMatch(/Jane|my-order/)
    expect(Buffer.from(rows[0]?.answer ?? '', 'base64url').toString()).not.toContain('Jane')
  })

  test('runs once for many requests at once', async () => {
    await using scene = await countingServer()
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(scene.server)))
    expect(scene.runs()).toBe(1)
    for (const answer of answers) expect([201, 409]).toContain(answer.statusCode)
  })
})

test('returns and logs when the response cannot be stored', async () => {
  await using scene = await countingServer(async (run) => {
    await (await scene.server.database()).close()
    return { run }
  })
  const answer = await send(scene.server)
  expect([answer.statusCode, answer.json()]).toEqual([201, { run: 1 }])
  expect(scene.server.log.filter(({ level }) => level === 'error').map(({ event }) => event)).toEqual([
    'failed to store the response for an idempotency key',
  ])
})
