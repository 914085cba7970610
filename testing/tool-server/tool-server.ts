import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ToolReply, writeReply } from './tool-reply.ts'

/** A request as the server received it. */
export interface RecordedRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly rawBody: Buffer
  /** Number of the connection it came over, from 1: equal numbers mean that a connection was used again. */
  readonly connection: number
}

/** A tool's server on the loopback, which answers from a script. */
export interface ToolServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** All requests so far, in the order in which they were complete. */
  readonly requests: readonly RecordedRequest[]
  /** Replies for the next requests, in order; with none left the answer is status 200 and `{"ok":true}`. */
  script(...replies: readonly ToolReply[]): void
  /** Resolves as soon as this many requests have been received. */
  received(count: number): Promise<void>
  /** Resolves as soon as a client has closed a connection before its answer was complete. */
  abandoned(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a server on a free port of the loopback. */
export async function startToolServer(): Promise<ToolServer> {
  const requests: RecordedRequest[] = []
  const replies: ToolReply[] = []
  const requestWatchers = new Set<{ readonly count: number; readonly resolve: () => void }>()
  const clientAborted = Promise.withResolvers<void>()
  const connections = new WeakMap<object, number>()
  let connectionCount = 0

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const rawBody = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    requests.push(record(request, rawBody, connections.get(request.socket) ?? 0))
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
    // A client that goes away while it still sends leaves nothing to answer.
    answer(request, response).catch(() => response.destroy())
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
    script: (...next) => replies.push(...next),
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

function record(request: IncomingMessage, rawBody: Buffer, connection: number): RecordedRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')])
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(headers),
    rawBody,
    connection,
  }
}
