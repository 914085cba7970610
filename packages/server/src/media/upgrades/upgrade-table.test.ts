import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type AcceptedConnection, createClientAddress, createUpgradeTable, type UpgradeRoute } from './upgrade-table.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
})

/** A route that keeps accepted connections. */
function routeOf(path: string, limits: Partial<UpgradeRoute['limits']> = {}) {
  const accepted: AcceptedConnection[] = []
  const log: string[] = []
  const drained = Promise.withResolvers<void>()
  const route: UpgradeRoute = {
    paths: [path],
    limits: { maxPayloadBytes: 1_000, attempts: { perSecond: 1, burst: 100 }, maxUnauthenticated: 10, ...limits },
    accept(connection) {
      accepted.push(connection)
      connection.socket.on('error', () => undefined)
      connection.socket.on('message', (data) => connection.socket.send(data))
    },
    drain() {
      log.push('drain')
      return drained.promise
    },
    terminate() {
      log.push('cut off')
    },
  }
  return { route, accepted, log, finish: () => drained.resolve() }
}

async function openTable(routes: readonly UpgradeRoute[]) {
  const time = createManualClock()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const logError = (_name: string, error: unknown): void => expect(error).toBeNull()
  const table = createUpgradeTable({ server, routes, clock: time.clock, logError, addressOf: () => '192.0.2.1' })
  const sockets: WebSocket[] = []
  open.push({
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate()
      await table.close()
      await new Promise((resolve) => server.close(resolve))
    },
  })
  return {
    time,
    table,
    server,
    /** Resolves to the response status and the socket. */
    async connect(path: string) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
      sockets.push(socket)
      socket.on('error', () => undefined)
      const status = await new Promise<number>((resolve) => {
        socket.on('open', () => resolve(101))
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
      })
      return { status, socket }
    },
  }
}

test('matches paths with parameters and returns 404 for others', async () => {
  const live = routeOf('/calls/live')
  const streams = routeOf('/telephony/{carrier}/{token}')
  const { connect } = await openTable([live.route, streams.route])
  for (const path of ['/', '/calls', '/calls/live/', '/telephony/one', '/telephony/one/', '/telephony/one/two/three']) {
    expect((await connect(path)).status).toBe(404)
  }
  expect((await connect('/calls/live?a=b')).status).toBe(101)
  expect((await connect('/telephony/one/abc')).status).toBe(101)
  expect(live.accepted.map(({ parameters }) => parameters)).toEqual([{}])
  expect(streams.accepted.map(({ parameters }) => parameters)).toEqual([{ carrier: 'one', token: 'abc' }])
})

test('applies the limits of each route: attempts, message size and unauthenticated connections', async () => {
  const strict = routeOf('/strict', {
    maxUnauthenticated: 2,
    attempts: { perSecond: 1, burst: 4 },
    maxPayloadBytes: 10,
  })
  const other = routeOf('/other')
  const { connect, time } = await openTable([strict.route, other.route])
  const first = await connect('/strict')
  await connect('/strict')
  expect((await connect('/strict')).status).toBe(503)
  expect((await connect('/other')).status).toBe(101)
  // One has authenticated, the other is gone.
  strict.accepted[1]?.settle()
  const closed = new Promise((resolve) => strict.accepted[0]?.socket.on('close', resolve))
  first.socket.terminate()
  await closed
  const third = await connect('/strict')
  const fourth = await connect('/strict')
  expect([third.status, fourth.status]).toEqual([101, 101])
  strict.accepted[2]?.settle()
  expect((await connect('/strict')).status).toBe(429)
  await time.advance(1_000)
  expect((await connect('/strict')).status).toBe(101)
  const tooLarge = new Promise((resolve) => third.socket.on('close', resolve))
  third.socket.send('x'.repeat(11))
  expect(await tooLarge).toBe(1009)
})

test('a stop refuses connections, drains all routes until the deadline and closes the rest', async () => {
  const slow = routeOf('/slow')
  const quick = routeOf('/quick')
  const { connect, table, time, server } = await openTable([slow.route, quick.route])
  const { socket } = await connect('/slow')
  let isDrained = false
  const drained = table.drain(5_000).then(() => {
    isDrained = true
  })
  expect((await connect('/quick')).status).toBe(503)
  quick.finish()
  await time.advance(4_999)
  expect(isDrained).toBe(false)
  await time.advance(1)
  await drained
  const closed = new Promise((resolve) => socket.on('close', resolve))
  const stopped = table.close()
  // Open connections are terminated after a second.
  await time.advance(1_000)
  await Promise.all([stopped, closed])
  expect([slow.log, quick.log]).toEqual([
    ['drain', 'cut off'],
    ['drain', 'cut off'],
  ])
  expect(server.listenerCount('upgrade')).toBe(0)
  expect(time.pendingTimers()).toBe(0)
})

const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as IncomingMessage

test.each([
  [false, '10.0.0.1', '1.2.3.4', '10.0.0.1'],
  [true, '10.0.0.1', '1.2.3.4, 10.0.0.9', '1.2.3.4'],
  [true, '10.0.0.1', undefined, '10.0.0.1'],
  ['loopback', '::ffff:127.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['loopback', '8.8.8.8', '1.2.3.4', '8.8.8.8'],
  ['10.0.0.0/8, ::1', '::1', '9.9.9.9, 1.2.3.4, 10.1.2.3', '1.2.3.4'],
  ['10.0.0.1', '10.0.0.1', 'spoofed', 'spoofed'],
  ['nonsense', '10.0.0.1', '1.2.3.4', '10.0.0.1'],
] as const)('with proxies %s, resolves %s and %s to %s', (trustProxy, remote, forwarded, expected) => {
  expect(createClientAddress(trustProxy)(from(remote, forwarded))).toBe(expected)
})
