import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { EventStream } from '../kernel/api/implement.ts'
import { listThings, mountAny, testServer } from './http-test-kit.ts'
import { stopServer } from './stop-server.ts'

const REQUEST = 'GET /api/things?workspaceId=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk_test\r\n\r\n'

function open(port: number): Socket {
  return connect(port, '127.0.0.1').setEncoding('utf8')
}

test('a client that keeps its connection open does not hang the stop', async () => {
  await using server = await testServer((api) => mountAny(api, listThings, async () => []))
  const socket = open(await server.listen())
  socket.write(REQUEST)
  expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1.1 200/)
  const closed = once(socket, 'close')
  await stopServer(server.fastify, server.manual.clock, 60_000)
  await closed
  expect(server.manual.pendingTimers()).toBe(0)
})

test('a slow request finishes before the deadline, and its connection is closed after it', async () => {
  const working = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  await using server = await testServer((api) =>
    mountAny(api, listThings, async () => {
      working.resolve()
      await release.promise
      return ['slow']
    }),
  )
  const socket = open(await server.listen())
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write(REQUEST)
  await working.promise
  const stopped = stopServer(server.fastify, server.manual.clock, 10_000)
  await server.manual.advance(5_000)
  release.resolve()
  await once(socket, 'data')
  const closed = once(socket, 'close')
  await server.manual.advance(500)
  await stopped
  await closed
  expect(received).toMatch(/^HTTP\/1.1 200/)
  expect(received).toContain('["slow"]')
  expect(server.manual.pendingTimers()).toBe(0)
})

test('what is left at the deadline is cut off', async () => {
  const opened = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  await using server = await testServer((api) =>
    mountAny(
      api,
      listThings,
      async () =>
        new EventStream(() => {
          opened.resolve()
          return () => left.resolve()
        }),
    ),
  )
  const socket = open(await server.listen())
  socket.on('error', () => {}).resume()
  socket.write(REQUEST)
  await opened.promise
  const closed = once(socket, 'close')
  const stopped = stopServer(server.fastify, server.manual.clock, 10_000)
  await server.manual.advance(9_999)
  expect(socket.destroyed).toBe(false)
  await server.manual.advance(1)
  await Promise.all([stopped, closed, left.promise])
  expect(server.manual.pendingTimers()).toBe(0)
})

test('a request on an open connection while stopping is told to come back', async () => {
  const working = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  await using server = await testServer((api) =>
    mountAny(api, listThings, async () => {
      working.resolve()
      await release.promise
      return []
    }),
  )
  const socket = open(await server.listen())
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write(REQUEST)
  await working.promise
  const stopped = stopServer(server.fastify, server.manual.clock, 10_000)
  const second = once(server.fastify.server, 'request')
  socket.write(REQUEST)
  await second
  release.resolve()
  await once(socket, 'close')
  await stopped
  const [, refusal = ''] = received.split(/(?=HTTP\/1\.1 503)/)
  expect(refusal).toMatch(/^HTTP\/1\.1 503/)
  expect(refusal.toLowerCase()).toMatch(/retry-after: 1\r\n/)
  expect(refusal.toLowerCase()).toContain('connection: close')
  expect(refusal).toContain('"code":"unavailable"')
})
