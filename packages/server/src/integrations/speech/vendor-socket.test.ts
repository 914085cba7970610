import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SpeechFailure } from '@parley/engine/voice/ports'
import { describe, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createSteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import { startToolServer } from '../../../../../testing/tool-server/tool-server.ts'
import { buildSocketUrl, VendorSocket, type VendorSocketOptions } from './vendor-socket.ts'
import { createLoopbackOpener } from './vendor-socket-test-kit.ts'

interface Accepted {
  readonly socket: WebSocket
  readonly request: IncomingMessage
}

/** A server that reports each connection, and all text and binary messages in order. */
async function startServer() {
  const http = createServer()
  const sockets = new WebSocketServer({ server: http })
  const accepted = Promise.withResolvers<Accepted>()
  const messages: (string | Buffer)[] = []
  const watchers = new Set<() => void>()
  sockets.on('connection', (socket, request) => {
    socket.on('message', (data, isBinary) => {
      messages.push(isBinary ? (data as Buffer) : String(data))
      for (const watcher of watchers) watcher()
    })
    accepted.resolve({ socket, request })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return {
    port,
    messages,
    accepted: accepted.promise,
    received: (count: number) =>
      new Promise<void>((resolve) => {
        const check = (): void => {
          if (messages.length >= count) resolve()
        }
        watchers.add(check)
        check()
      }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

/** Opens a socket and records what it reports. */
function openVendorSocket(port: number, overrides: Partial<VendorSocketOptions> = {}) {
  const clock = createSteppedClock()
  const received: unknown[] = []
  const opened = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<{ failure: SpeechFailure; closeCode: number | null }>()
  let failureCount = 0
  const socket = new VendorSocket({
    openSocket: createLoopbackOpener(port, clock),
    clock,
    url: buildSocketUrl(`http://127.0.0.1:${port}/base/`, '/v1/listen', { model: 'a b', keyterm: ['x', 'y'] }),
    headers: { Authorization: 'Token key' },
    onMessage: (message) => received.push(message),
    onBinary: (bytes) => received.push(bytes),
    onOpen: () => opened.resolve(),
    onFailed: (failure, closeCode) => {
      failureCount += 1
      failed.resolve({ failure, closeCode })
    },
    ...overrides,
  })
  return {
    socket,
    clock,
    received,
    opened: opened.promise,
    failed: failed.promise,
    countFailures: () => failureCount,
  }
}

const closed = (socket: WebSocket) => new Promise<number>((resolve) => socket.once('close', resolve))

describe('an open socket', () => {
  test('sends queued messages in order, before later messages, and copies queued bytes', async () => {
    await using server = await startServer()
    const { socket, opened } = openVendorSocket(server.port)
    const bytes = Buffer.from([1, 2, 3])
    socket.sendJson({ type: 'first' })
    socket.send(bytes)
    bytes.fill(9)
    expect(socket.isOpen).toBe(false)
    await opened
    expect(socket.isOpen).toBe(true)
    socket.send('last')
    await server.received(3)
    expect(server.messages).toEqual(['{"type":"first"}', Buffer.from([1, 2, 3]), 'last'])
    const { request } = await server.accepted
    expect(request.url).toBe('/base/v1/listen?model=a%20b&keyterm=x&keyterm=y')
    expect(request.headers.authorization).toBe('Token key')
    socket.close()
  })

  test('reports objects and binary messages, and sends the last message before it closes', async () => {
    await using server = await startServer()
    const { socket, clock, received, opened, countFailures } = openVendorSocket(server.port)
    await opened
    const { socket: peer } = await server.accepted
    const peerClosed = closed(peer)
    const arrived = Promise.withResolvers<void>()
    peer.send('{"type":"Metadata"}')
    peer.send(Buffer.from([5]))
    peer.send('{"type":"ask"}', () => arrived.resolve())
    await arrived.promise
    socket.send('ready')
    await server.received(1)
    await expect.poll(() => received.length).toBe(3)
    expect(received).toEqual([{ type: 'Metadata' }, Buffer.from([5]), { type: 'ask' }])
    socket.close({ type: 'CloseStream' })
    expect(await peerClosed).toBe(1000)
    expect(server.messages.at(-1)).toBe('{"type":"CloseStream"}')
    socket.send('ignored')
    socket.fail({ kind: 'unavailable', message: 'Late.', retryable: true })
    await expect.poll(() => clock.timerCount).toBe(0)
    expect(countFailures()).toBe(0)
  })
})

describe('a socket fails', () => {
  test.each([
    ['text', 'no JSON', /not a JSON object/],
    ['a list', '[1]', /not a JSON object/],
    ['a binary message that the vendor never sends', Buffer.from([1]), /not a JSON object/],
  ])('because of %s', async (_name, message, text) => {
    await using server = await startServer()
    const overrides = typeof message === 'string' ? {} : { onBinary: undefined }
    const { failed, received, countFailures } = openVendorSocket(server.port, overrides as Partial<VendorSocketOptions>)
    const { socket: peer } = await server.accepted
    peer.send(message)
    peer.send('{"type":"Later"}')
    expect(await failed).toMatchObject({ failure: { kind: 'protocol', message: expect.stringMatching(text) } })
    await closed(peer)
    expect(received).toEqual([])
    expect(countFailures()).toBe(1)
  })

  test.each([
    ['NET-0001', '1011, NET-0001'],
    ['NET-0001: my secret plan', '1011, NET-0001'],
    ['', '1011'],
    ['my secret plan', '1011'],
    ['MY-2026plans', '1011'],
  ])('with the close code of the vendor and the reason "%s", and releases its timers', async (reason, text) => {
    await using server = await startServer()
    const { failed, clock, socket } = openVendorSocket(server.port)
    const { socket: peer } = await server.accepted
    peer.close(1011, reason)
    expect(await failed).toEqual({
      failure: { kind: 'unavailable', message: `The provider closed the connection (${text}).`, retryable: true },
      closeCode: 1011,
    })
    expect(socket.isOpen).toBe(false)
    expect(clock.timerCount).toBe(0)
  })

  test.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [429, 'rate-limited'],
    [400, 'rejected'],
    [503, 'unavailable'],
  ])('because the handshake is refused with status %i', async (status, kind) => {
    await using server = await startToolServer()
    server.script({ kind: 'json', status, body: {} })
    const { failed, clock } = openVendorSocket(server.port)
    expect(await failed).toMatchObject({ failure: { kind }, closeCode: null })
    expect(clock.timerCount).toBe(0)
  })

  test('when the vendor does not complete the handshake in time', async () => {
    await using server = await startToolServer()
    server.script({ kind: 'hang' })
    const { failed, clock } = openVendorSocket(server.port)
    await server.received(1)
    clock.advance(5_000)
    expect(await failed).toMatchObject({ failure: { kind: 'timeout' } })
  })

  test.each(['before it opens', 'while it is open'])('when the vendor stops reading %s', async (moment) => {
    await using server = await startServer()
    const { socket, clock, opened, failed } = openVendorSocket(server.port)
    if (moment === 'while it is open') {
      await opened
      const { socket: peer } = await server.accepted
      peer.pause()
    }
    // More than the network buffers and the limit hold together.
    const chunk = new Uint8Array(256 * 1_024)
    for (let count = 0; count < 64; count += 1) socket.send(chunk)
    expect(await failed).toMatchObject({ failure: { kind: 'unavailable', message: 'The provider stopped reading.' } })
    // The closing handshake cannot complete either.
    if (moment === 'while it is open') clock.advance(2_000)
    expect(clock.timerCount).toBe(0)
  })
})

test('closing while the socket connects cancels it without a callback', async () => {
  await using server = await startToolServer()
  server.script({ kind: 'hang' })
  const { socket, clock, countFailures } = openVendorSocket(server.port)
  socket.send('queued')
  await server.received(1)
  socket.close({ type: 'CloseStream' })
  await server.abandoned()
  expect(countFailures()).toBe(0)
  expect(clock.timerCount).toBe(0)
})

test('a vendor that ignores the close frame is disconnected', async () => {
  await using server = await startServer()
  const { socket, clock, opened } = openVendorSocket(server.port)
  await opened
  const { socket: peer } = await server.accepted
  const peerClosed = closed(peer)
  peer.pause()
  socket.close()
  expect(clock.timerCount).toBe(1)
  clock.advance(2_000)
  peer.resume()
  expect(await peerClosed).toBeGreaterThanOrEqual(1000)
})
