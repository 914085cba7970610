import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listSteps, renderErrorBody } from './rendering.ts'
import { findLastUserText, isRecord, type ModelReply, type ModelServerRequest, type Step, type Wire } from './reply.ts'
import { findRequestProblem } from './request-problem.ts'

/** A received request and its outcome. */
export interface RecordedRequest extends ModelServerRequest {
  /** Resolves at the end of the exchange: `early` if the client closed before the reply was complete. */
  readonly closed: Promise<'complete' | 'early'>
  /** Whether the client has closed before the reply was complete. */
  readonly closedEarly: boolean
}

/** Returns the reply to a request when no scripted reply is left. */
export type DefaultReply = (request: ModelServerRequest) => ModelReply

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. The base URL of the chat-completions format is `<url>/v1`. */
  readonly url: string
  /** Requests in order of arrival. */
  readonly requests: readonly RecordedRequest[]
  /** Resolves to request number `index` when it arrives. */
  request(index: number): Promise<RecordedRequest>
  /** Appends replies. Each request takes the next reply. */
  script(...replies: readonly ModelReply[]): void
  /** Number of unused scripted replies. */
  readonly unusedReplies: number
  defaultReply: DefaultReply
  readonly openConnections: number
  /** Total number of opened connections. */
  readonly acceptedConnections: number
  /** Closes the server immediately, including hanging requests. */
  close(): Promise<void>
}

const MAX_BODY_BYTES = 16 * 1024 * 1024
const WIRES: Readonly<Record<string, Wire>> = { '/v1/chat/completions': 'openai', '/v1/messages': 'anthropic' }

/** Starts a scripted model provider on a free loopback port with both wire formats. Long benchmarks do not keep requests. */
export async function startModelServer({ keepRequests = true } = {}): Promise<ModelServer> {
  const requests: RecordedRequest[] = []
  const queue: ModelReply[] = []
  const pendingRequests = new Map<number, PromiseWithResolvers<RecordedRequest>>()
  const timers = new Set<NodeJS.Timeout>()
  let openConnections = 0
  let acceptedConnections = 0

  const server = createServer((incoming, response) => {
    response.on('error', () => response.destroy())
    serve(incoming, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    socket.setNoDelay(true)
    openConnections += 1
    acceptedConnections += 1
    socket.on('close', () => {
      openConnections -= 1
    })
  })

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '').split('?')[0] ?? ''
    const wire = incoming.method === 'POST' ? WIRES[path] : undefined
    const body = parseJsonObject(await readBody(incoming))
    if (wire === undefined || body === null) {
      const status = wire === undefined ? 404 : 400
      await play([{ kind: 'head', status, headers: {} }, { kind: 'end' }], response)
      return
    }
    const request = { wire, path: incoming.url ?? '', headers: incoming.headers, body }
    if (keepRequests) record(request, response)
    const problem = findRequestProblem(request)
    const rejection: ModelReply | null =
      problem === null ? null : { fault: 'status', status: 400, body: renderErrorBody(wire, 400, problem) }
    await play(listSteps(wire, rejection ?? queue.shift() ?? modelServer.defaultReply(request), body), response)
  }

  function record(request: ModelServerRequest, response: ServerResponse): void {
    const { promise, resolve } = Promise.withResolvers<'complete' | 'early'>()
    let closedEarly = false
    response.on('close', () => {
      closedEarly = !response.writableFinished
      resolve(closedEarly ? 'early' : 'complete')
    })
    const recordedRequest: RecordedRequest = {
      ...request,
      closed: promise,
      get closedEarly() {
        return closedEarly
      },
    }
    requests.push(recordedRequest)
    pendingRequests.get(requests.length - 1)?.resolve(recordedRequest)
  }

  async function play(steps: Iterable<Step>, response: ServerResponse): Promise<void> {
    for (const step of steps) {
      if (response.destroyed) return
      switch (step.kind) {
        case 'head':
          response.writeHead(step.status, step.headers)
          response.flushHeaders()
          break
        case 'write':
          if (!response.write(step.bytes)) await waitUntilDrained(response)
          break
        case 'wait':
          await wait(step.delayMs)
          break
        case 'flood':
          await flood(step.sizeBytes, response)
          break
        case 'end':
          response.end()
          break
        case 'cut':
          // Earlier writes must be sent first, because breaking the connection would discard them.
          await new Promise<void>((resolve) => response.write('\n', () => resolve()))
          response.destroy()
          break
        case 'hang':
          break
      }
    }
  }

  function wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        resolve()
      }, delayMs)
      timers.add(timer)
    })
  }

  const modelServer: ModelServer = {
    url: await listen(server),
    requests,
    request(index) {
      const request = requests[index]
      if (request !== undefined) return Promise.resolve(request)
      const pending = pendingRequests.get(index) ?? Promise.withResolvers<RecordedRequest>()
      pendingRequests.set(index, pending)
      return pending.promise
    },
    script: (...replies) => {
      queue.push(...replies)
    },
    get unusedReplies() {
      return queue.length
    },
    defaultReply: (request) => ({ text: `You said: ${findLastUserText(request) || 'nothing'}.` }),
    get openConnections() {
      return openConnections
    },
    get acceptedConnections() {
      return acceptedConnections
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
    [Symbol.asyncDispose]: () => modelServer.close(),
  }
  return modelServer
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_BODY_BYTES) throw new Error('The body is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

async function flood(sizeBytes: number, response: ServerResponse): Promise<void> {
  const filler = Buffer.alloc(64 * 1024, 'x')
  for (let sent = 0; sent < sizeBytes && !response.destroyed; sent += filler.length) {
    if (!response.write(filler)) await waitUntilDrained(response)
  }
}

/** Resolves when the client has received the data or disconnected. */
function waitUntilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      response.off('drain', finish)
      response.off('close', finish)
      resolve()
    }
    response.on('drain', finish)
    response.on('close', finish)
    if (response.destroyed) finish()
  })
}
