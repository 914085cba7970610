import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import type { Clock } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { findRedis, startPrivateRedis } from '../../../../../testing/private-redis.ts'
import { systemClock } from '../system.ts'
import { openRedis, toRedisError } from './redis-client.ts'

/** A server that keeps what it is sent first on each connection, and says nothing. */
async function openListener() {
  const heard: Buffer[] = []
  const first = Promise.withResolvers<Buffer>()
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', (data) => {
      heard.push(data)
      first.resolve(data)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    first: first.promise,
    heard,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** A connection and what it logs. */
function connect(url: string, clock: Pick<Clock, 'after'> = systemClock) {
  const logged: unknown[] = []
  const ready = Promise.withResolvers<void>()
  const logError = (_name: string, error: unknown): void => void logged.push(error)
  const connection = openRedis({ url, name: 'test', clock, logError, onReady: ready.resolve })
  return { ...connection, logged, ready: ready.promise, [Symbol.dispose]: () => connection.close() }
}

test('rediss:// speaks TLS from the first byte', async () => {
  await using listener = await openListener()
  using _connection = connect(`rediss://:secret@127.0.0.1:${listener.port}`)
  const hello = await listener.first
  // A handshake record, which begins every TLS connection (RFC 8446, 5.1).
  expect(hello[0]).toBe(22)
  expect(hello.includes('secret')).toBe(false)
})

test('redis:// sends the user, the password and the database that the URL names', async () => {
  await using listener = await openListener()
  using _connection = connect(`redis://ann:p%40ss@127.0.0.1:${listener.port}/3`)
  const hello = (await listener.first).toString()
  expect(hello).toContain('ann')
  expect(hello).toContain('p@ss')
})

test('rejects commands at once without a server, and logs it once', async () => {
  using connection = connect('redis://:secret@127.0.0.1:1')
  await expect.poll(() => connection.logged.length).toBe(1)
  expect(connection.getFault()).toBe('Redis cannot be reached (ECONNREFUSED).')
  await expect(connection.client.get('key')).rejects.toThrow()
  await expect.poll(() => connection.client.status).toBe('reconnecting')
  expect(connection.logged).toHaveLength(1)
})

test('reconnects to a silent server after five seconds', async () => {
  await using listener = await openListener()
  const time = createManualClock()
  using connection = connect(`redis://127.0.0.1:${listener.port}`, time.clock)
  await listener.first
  await time.advance(4_999)
  expect(connection.logged).toEqual([])
  await time.advance(1)
  while (listener.heard.length < 2) await nextTurn()
  expect(connection.logged.map(String)).toEqual(['RedisError: The Redis connection failed.'])
  expect(connection.getFault()).toBe('Redis cannot be reached (no response).')
})

test('an error of a command omits its arguments', () => {
  const error = Object.assign(new Error('WRONGPASS invalid username-password pair'), {
    command: { name: 'auth', args: ['secret'] },
  })
  const safe = toRedisError(error)
  expect(safe).toMatchObject({ code: 'WRONGPASS' })
  expect(JSON.stringify({ ...safe, message: safe.message, stack: safe.stack, cause: safe.cause })).not.toContain(
    'secret',
  )
})

describe.skipIf(findRedis() === null)('with a server', () => {
  test('reports a wrong password without quoting it', async () => {
    await using redis = await startPrivateRedis()
    using admin = connect(redis.url)
    await admin.ready
    await admin.client.config('SET', 'requirepass', 'right')
    const url = new URL(redis.url)
    url.password = 'wrong-secret'
    using connection = connect(url.href)
    await expect.poll(() => connection.getFault()).toBe('Redis cannot be reached (WRONGPASS).')
    expect(connection.logged.map(String).join()).not.toContain('wrong-secret')
    url.password = 'right'
    using well = connect(url.href)
    await well.ready
    expect(well.getFault()).toBeNull()
  })

  test('works again after a hang', async () => {
    await using redis = await startPrivateRedis()
    using connection = connect(redis.url)
    await connection.ready
    await redis.kill('SIGSTOP')
    const answer = connection.client.set('key', 'value')
    await redis.kill('SIGCONT')
    expect(await answer).toBe('OK')
    await redis.kill('SIGKILL')
    await expect.poll(() => connection.getFault()).not.toBeNull()
    await redis.start()
    await expect.poll(() => connection.getFault(), { timeout: 10_000 }).toBeNull()
    expect(await connection.client.get('key')).toBeNull()
  })
})
