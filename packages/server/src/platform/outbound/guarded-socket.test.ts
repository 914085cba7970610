import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import { startToolServer } from '../../../../../testing/tool-server/tool-server.ts'
import { createGuardedSocketOpener, type SocketRequest } from './guarded-socket.ts'
import { createTargetPolicy } from './target-policy.ts'

/** An opener that may reach one port of the loopback. */
function openerFor(port: number) {
  const clock = createSteppedClock()
  const open = createGuardedSocketOpener({
    clock,
    policy: createTargetPolicy({ allowPrivateTargets: [`127.0.0.1:${port}`] }),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    makeConnector: createLoopbackConnector,
  })
  const request = { url: `ws://127.0.0.1:${port}/`, timeoutMs: 5000, maxPayloadBytes: 1000 }
  return { clock, open: (changes: Partial<SocketRequest> = {}) => open({ ...request, ...changes }) }
}

/** A WebSocket server that greets at once and echoes. */
async function startEchoServer() {
  const http = createServer()
  const sockets = new WebSocketServer({ server: http, maxPayload: 10_000 })
  const handshakes: { path: string; headers: Readonly<Record<string, unknown>> }[] = []
  sockets.on('connection', (socket, { url = '', headers }) => {
    handshakes.push({ path: url, headers })
    socket.send('hello')
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
  })
  const port = await listen(http)
  return {
    port,
    handshakes,
    ...openerFor(port),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function opened(outcome: ReturnType<ReturnType<typeof openerFor>['open']>): Promise<WebSocket> {
  const settled = await outcome
  if (!settled.ok) throw new Error(settled.message)
  return settled.socket
}

const nextMessage = (socket: WebSocket) =>
  new Promise((resolve) => socket.once('message', (data) => resolve(`${data}`)))
const closed = (socket: WebSocket) => new Promise((resolve) => socket.once('close', (code) => resolve(code)))

describe('an open socket', () => {
  test('loses no message that arrived before the listeners', async () => {
    await using server = await startEchoServer()
    const socket = await opened(server.open())
    // Long enough for the greeting to have arrived, had the socket been read.
    const other = await opened(server.open())
    const greeted = nextMessage(other)
    other.resume()
    await greeted
    const first = nextMessage(socket)
    socket.resume()
    expect(await first).toBe('hello')
    const echo = nextMessage(socket)
    socket.send('again')
    expect(await echo).toBe('again')
    expect(server.clock.timerCount).toBe(0)
    socket.terminate()
    other.terminate()
  })

  test('sends path, query, headers and host, but no custom handshake headers', async () => {
    await using server = await startEchoServer()
    const socket = await opened(
      server.open({
        url: `ws://tools.test:${server.port}/a/b?c=d#fragment`,
        headers: { 'X-Key': 'k', Host: 'internal', 'Sec-WebSocket-Protocol': 'own', Connection: 'close' },
      }),
    )
    expect(server.handshakes).toMatchObject([
      { path: '/a/b?c=d', headers: { 'x-key': 'k', host: `tools.test:${server.port}`, connection: 'Upgrade' } },
    ])
    expect(server.handshakes[0]?.headers).not.toHaveProperty('sec-websocket-protocol')
    socket.terminate()
  })

  test('closes on an oversized message, without an exception', async () => {
    await using server = await startEchoServer()
    const socket = await opened(server.open())
    const code = closed(socket)
    socket.resume()
    socket.send('x'.repeat(5000))
    expect(await code).toBe(1006)
  })

  test('stays open when the signal of its opening aborts', async () => {
    await using server = await startEchoServer()
    const controller = new AbortController()
    const socket = await opened(server.open({ signal: controller.signal }))
    controller.abort()
    const greeting = nextMessage(socket)
    socket.resume()
    expect(await greeting).toBe('hello')
    socket.terminate()
  })
})

describe('a socket fails to open', () => {
  test.each([
    [{ kind: 'json', status: 401, body: {} }, 'network', /status 401/],
    [{ kind: 'json', status: 200, body: {} }, 'network', /status 200/],
    [{ kind: 'redirect', to: 'http://169.254.169.254/' }, 'blocked-target', /responded with a redirect/],
    [{ kind: 'garbage' }, 'network', /not valid HTTP/],
    [{ kind: 'refuse' }, 'network', /closed the connection/],
    [{ kind: 'cut' }, 'network', /status 200/],
  ] as const)('because the server answers %j', async (reply, reason, message) => {
    await using server = await startToolServer()
    const { open, clock } = openerFor(server.port)
    server.script(reply)
    const outcome = await open()
    expect(outcome).toMatchObject({ ok: false, reason, message: expect.stringMatching(message) })
    expect(JSON.stringify(outcome)).not.toMatch(/127\.0|169\.254/)
    expect(clock.timerCount).toBe(0)
  })

  test.each([
    ['0a1b-2c', 'WebSocket. Request ID: 0a1b-2c.'],
    ['my secret plan', 'WebSocket.'],
    ['x'.repeat(65), 'WebSocket.'],
  ])('with the ID of the refused request, if it is one (%s)', async (requestId, end) => {
    const http = createServer()
    http.on('upgrade', (_, socket) =>
      socket.end(`HTTP/1.1 400 No\r\nX-Request-Id: ${requestId}\r\ncontent-length: 0\r\n\r\n`),
    )
    const { open } = openerFor(await listen(http))
    const message = `The server responded with status 400 instead of opening a ${end}`
    expect(await open({ requestIdHeader: 'X-Request-ID' })).toMatchObject({ status: 400, message })
    expect(await open()).toMatchObject({ message: expect.stringMatching(/WebSocket\.$/) })
    const failure = await open({ reasonHeader: 'X-Request-ID' })
    expect(failure).toMatchObject({ serverReason: requestId, message: expect.stringMatching(/WebSocket\.$/) })
    await new Promise((resolve) => http.close(resolve))
  })

  test('for an invalid handshake of the server', async () => {
    const http = createServer()
    http.on('upgrade', (_, socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    )
    const { open } = openerFor(await listen(http))
    expect(await open()).toMatchObject({ ok: false, reason: 'network', message: expect.stringMatching(/WebSocket/) })
    await new Promise((resolve) => http.close(resolve))
  })

  test('when the server hangs until the deadline or cancellation', async () => {
    await using server = await startToolServer()
    const { open, clock } = openerFor(server.port)
    server.script({ kind: 'hang' }, { kind: 'hang' })
    const late = open()
    await server.received(1)
    clock.advance(5000)
    expect(await late).toMatchObject({ ok: false, reason: 'timeout' })
    await server.abandoned()
    const controller = new AbortController()
    const cancelled = open({ signal: controller.signal })
    await server.received(2)
    controller.abort()
    expect(await cancelled).toMatchObject({ ok: false, reason: 'cancelled' })
    expect(await open({ signal: AbortSignal.abort() })).toMatchObject({ ok: false, reason: 'cancelled' })
    expect(clock.timerCount).toBe(0)
  })

  test('when a resolver never responds', async () => {
    const clock = createSteppedClock()
    const open = createGuardedSocketOpener({
      clock,
      policy: createTargetPolicy({ allowPrivateTargets: [] }),
      resolve: () => new Promise(() => undefined),
      makeConnector: createLoopbackConnector,
    })
    const outcome = open({ url: 'ws://slow.test/', timeoutMs: 1000, maxPayloadBytes: 10 })
    await clock.waitForTimer(1000)
    clock.advance(1000)
    expect(await outcome).toMatchObject({ ok: false, reason: 'timeout' })
  })

  test('when the port is closed', async () => {
    const server = await startToolServer()
    await server.close()
    expect(await openerFor(server.port).open()).toMatchObject({
      ok: false,
      reason: 'network',
      message: 'The server refused the connection.',
    })
  })

  test.each(['http://example.test/', 'ftp://example.test/', 'ws://a:secret@example.test/', 'nothing', ''])(
    'because "%s" is no address of one',
    async (url) => {
      const outcome = await openerFor(1).open({ url })
      expect(outcome).toMatchObject({ ok: false, reason: 'invalid-request' })
      expect(JSON.stringify(outcome)).not.toContain('secret')
    },
  )

  test('for an invalid header', async () => {
    expect(await openerFor(1).open({ headers: { 'X-A': 'a\r\nb: c' } })).toMatchObject({ reason: 'invalid-request' })
  })
})
