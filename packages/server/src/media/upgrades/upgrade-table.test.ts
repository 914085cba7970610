import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  type AcceptedConnection,
  createClientAddressResolver,
  createUpgradeTable,
  type UpgradeRoute,
} from './upgrade-table.ts'

const openTables: AsyncDisposable[] = []
afterEach(async () => {
  for (const table of openTables.splice(0)) await table[Symbol.asyncDispose]()
})

/** Creates a route that records accepted connections. */
function createRoute(path: string, limits: Partial<UpgradeRoute['limits']> = {}) {
  const accepted: AcceptedConnection[] = []
  const log: string[] = []
  const drainGate = Promise.withResolvers<void>()
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
      return drainGate.promise
    },
    terminate() {
      log.push('terminate')
    },
  }
  return { route, accepted, log, finish: () => drainGate.resolve() }
}

async function openTable(routes: readonly UpgradeRoute[]) {
  const time = createManualClock()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const logError = (_name: string, error: unknown): void => expect(error).toBeNull()
  const table = createUpgradeTable({ server, routes, clock: time.clock, logError, getClientAddress: () => '192.0.2.1' })
  const sockets: WebSocket[] = []
  openTables.push({
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
  const liveRoute = createRoute('/calls/live')
  const streamRoute = createRoute('/telephony/{carrier}/{token}')
  const { connect } = await openTable([liveRoute.route, streamRoute.route])
  for (const path of ['/', '/calls', '/calls/live/', '/telephony/one', '/telephony/one/', '/telephony/one/two/three']) {
    expect((await connect(path)).status).toBe(404)
  }
  expect((await connect('/calls/live?a=b')).status).toBe(101)
  expect((await connect('/telephony/one/abc')).status).toBe(101)
  expect(liveRoute.accepted.map(({ parameters }) => parameters)).toEqual([{}])
  expect(streamRoute.accepted.map(({ parameters }) => parameters)).toEqual([{ carrier: 'one', token: 'abc' }])
})

test('applies the limits of each route: attempts, message size and unauthenticated connections', async () => {
  const strictRoute = createRoute('/strict', {
    maxUnauthenticated: 2,
    attempts: { perSecond: 1, burst: 4 },
    maxPayloadBytes: 10,
  })
  const otherRoute = createRoute('/other')
  const { connect, time } = await openTable([strictRoute.route, otherRoute.route])
  const firstConnection = await connect('/strict')
  await connect('/strict')
  expect((await connect('/strict')).status).toBe(503)
  expect((await connect('/other')).status).toBe(101)
  // One client has authenticated, and the other has disconnected.
  strictRoute.accepted[1]?.finishAuthentication()
  const closing = new Promise((resolve) => strictRoute.accepted[0]?.socket.on('close', resolve))
  firstConnection.socket.terminate()
  await closing
  const thirdConnection = await connect('/strict')
  const fourthConnection = await connect('/strict')
  expect([thirdConnection.status, fourthConnection.status]).toEqual([101, 101])
  strictRoute.accepted[2]?.finishAuthentication()
  expect((await connect('/strict')).status).toBe(429)
  await time.advance(1_000)
  expect((await connect('/strict')).status).toBe(101)
  const tooLarge = new Promise((resolve) => thirdConnection.socket.on('close', resolve))
  thirdConnection.socket.send('x'.repeat(11))
  expect(await tooLarge).toBe(1009)
})

test('a stop rejects connections, drains all routes until the deadline and closes the remaining connections', async () => {
  const slowRoute = createRoute('/slow')
  const quickRoute = createRoute('/quick')
  const { connect, table, time, server } = await openTable([slowRoute.route, quickRoute.route])
  const { socket } = await connect('/slow')
  let isDrained = false
  const draining = table.drain(5_000).then(() => {
    isDrained = true
  })
  expect((await connect('/quick')).status).toBe(503)
  quickRoute.finish()
  await time.advance(4_999)
  expect(isDrained).toBe(false)
  await time.advance(1)
  await draining
  const closing = new Promise((resolve) => socket.on('close', resolve))
  const stopping = table.close()
  // Open connections are terminated after a second.
  await time.advance(1_000)
  await Promise.all([stopping, closing])
  expect([slowRoute.log, quickRoute.log]).toEqual([
    ['drain', 'terminate'],
    ['drain', 'terminate'],
  ])
  expect(server.listenerCount('upgrade')).toBe(0)
  expect(time.countPendingTimers()).toBe(0)
})

const createRequest = (remoteAddress: string, forwarded?: string) =>
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
  expect(createClientAddressResolver(trustProxy)(createRequest(remote, forwarded))).toBe(expected)
})
