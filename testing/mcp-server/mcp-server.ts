import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { type McpFault, playFault } from './mcp-fault.ts'
import { createToolsServer, type ToolOptions } from './mcp-tools.ts'

/** A request received by the server. */
export interface RecordedMcpRequest {
  /** Label of the request: `POST tools/call`, `GET` or `DELETE`. */
  readonly label: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A streamable HTTP tool server on the loopback interface. */
export interface McpTestServer {
  /** URL of the endpoint. */
  readonly url: string
  readonly port: number
  readonly requests: readonly RecordedMcpRequest[]
  /** Returns the labels of all requests, in order. */
  listLabels(): readonly string[]
  /** Number of sessions that were started but not ended. */
  readonly sessionCount: number
  /** Number of canceled calls of `slow`. */
  readonly cancelledCalls: number
  /** Adds faults for the next requests of a protocol method, one per request. */
  script(method: string, ...faults: readonly McpFault[]): void
  /** Removes all sessions, like a restart. */
  clearSessions(): void
  /** Resolves when a total of `count` requests with the label have been received. */
  received(label: string, count?: number): Promise<void>
  /** Resolves when a client has closed a connection before the response was complete. */
  abandoned(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface McpServerOptions extends Partial<Pick<ToolOptions, 'moreTools' | 'endlessPages'>> {
  /** Whether to respond with plain JSON instead of events. */
  readonly answersJson?: boolean
  /** Whether the server has no sessions. */
  readonly isStateless?: boolean
}

/** Starts a server on a free loopback port. */
export async function startMcpServer(options: McpServerOptions = {}): Promise<McpTestServer> {
  const requests: RecordedMcpRequest[] = []
  const faults = new Map<string, McpFault[]>()
  const watchers = new Set<{ readonly label: string; readonly count: number; readonly resolve: () => void }>()
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const clientAborted = Promise.withResolvers<void>()
  let resumedText = ''
  let cancelledCalls = 0

  async function openSession(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: options.isStateless === true ? undefined : () => randomUUID(),
      enableJsonResponse: options.answersJson ?? false,
      onsessioninitialized: (id) => {
        sessions.set(id, transport)
      },
      onsessionclosed: (id) => {
        sessions.delete(id)
      },
    } as ConstructorParameters<typeof StreamableHTTPServerTransport>[0])
    const server = createToolsServer({
      moreTools: options.moreTools ?? 0,
      endlessPages: options.endlessPages ?? false,
      onCancelled: () => cancelledCalls++,
    })
    await server.connect(transport as Parameters<typeof server.connect>[0])
    return transport
  }

  const handleRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()
    const message = body === '' ? {} : JSON.parse(body)
    const label = `${request.method} ${message.method ?? ''}`.trim()
    record({ label, path: request.url ?? '', headers: flattenHeaders(request), body })
    response.on('close', () => {
      if (!response.writableFinished) clientAborted.resolve()
    })
    const fault = faults.get(message.method)?.shift()
    if (fault !== undefined) {
      if (fault.kind === 'resumed') resumedText = fault.text
      playFault(response, fault, message.id)
      return
    }
    const lastEventId = request.headers['last-event-id']
    if (lastEventId !== undefined) {
      sendResumed(response, JSON.parse(String(lastEventId)), resumedText)
      return
    }
    const session = sessions.get(String(request.headers['mcp-session-id']))
    if (session === undefined && message.method !== 'initialize' && options.isStateless !== true) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"session not found"}')
      return
    }
    await (session ?? (await openSession())).handleRequest(request, response, body === '' ? undefined : message)
  }

  function record(request: RecordedMcpRequest): void {
    requests.push(request)
    for (const watcher of watchers) {
      if (countRequests(watcher.label) < watcher.count) continue
      watchers.delete(watcher)
      watcher.resolve()
    }
  }

  const countRequests = (label: string): number => requests.filter((request) => request.label === label).length

  const http = createServer((request, response) => {
    // A client that disconnects while it is still sending requires no response.
    handleRequest(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const close = async (): Promise<void> => {
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    requests,
    listLabels: () => requests.map(({ label }) => label),
    get sessionCount() {
      return sessions.size
    },
    get cancelledCalls() {
      return cancelledCalls
    },
    script: (method, ...newFaults) => faults.set(method, [...(faults.get(method) ?? []), ...newFaults]),
    clearSessions: () => sessions.clear(),
    received: (label, count = 1) =>
      new Promise((resolve) => {
        if (countRequests(label) >= count) resolve()
        else watchers.add({ label, count, resolve })
      }),
    abandoned: () => clientAborted.promise,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function flattenHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]))
}

function sendResumed(response: ServerResponse, id: unknown, text: string): void {
  const result = { content: [{ type: 'text', text }] }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
}
