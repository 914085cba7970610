import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ToolReply, writeReply } from './tool-reply.ts'

/** A request received by the server. */
export interface RecordedRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly rawBody: Buffer
  /** Number of the connection, starting at 1. Equal numbers mean that a connection was reused. */
  readonly connection: number
}

/** A tool server on the loopback interface, which responds from a script. */
export interface ToolServer {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string
  readonly port: number
  /** All received requests, in the order in which they were complete. */
  readonly requests: readonly RecordedRequest[]
  /** Adds replies for the next requests, in order. When none are left, the response is status 200 with `{"ok":true}`. */
  script(...replies: readonly ToolReply[]): void
  /** Resolves when `count` requests have been received. */
  received(count: number): Promise<void>
  /** Resolves when a client has closed a connection before the response was complete. */
  abandoned(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a server on a free loopback port. */
export async function startToolServer(): Promise<ToolServer> {
  const requests: RecordedRequest[] = []
  const replies: ToolReply[] = []
  const requestWatchers = new Set<{ readonly count: number; readonly resolve: () => void }>()
  const clientAborted = Promise.withResolvers<void>()
  const connections = new WeakMap<object, number>()
  let connectionCount = 0

  const handleRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const rawBody = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    requests.push(toRecordedRequest(request, rawBody, connections.get(request.socket) ?? 0))
    response.on('close', () => {
      if (!response.writableFinished) clientAborted.resolve()
    })
    for (const watcher of requestWatchers) {
      if (requests.length < watcher.count) continue
      requestWatchers.delete(watcher)
      watcher.resolve()
    }
    writeReply(response, replies.shift() ?? { kind: 'json', body: { ok: true } })
  }
  const server = createServer((request, response) => {
    // A client that disconnects while it is still sending requires no response.
    handleRequest(request, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => connections.set(socket, ++connectionCount))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    script: (...newReplies) => replies.push(...newReplies),
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve()
        else requestWatchers.add({ count, resolve })
      }),
    abandoned: () => clientAborted.promise,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function toRecordedRequest(request: IncomingMessage, rawBody: Buffer, connection: number): RecordedRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')])
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(headers),
    rawBody,
    connection,
  }
}
