import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ToolReply, writeReply } from '../tool-server/tool-reply.ts'

/** Reply to a webhook. `slow` responds when the test opens its gate. */
export type ReceiverReply = ToolReply | { readonly kind: 'slow'; readonly gate: Promise<void> }

/** A received webhook. */
export interface ReceivedWebhook {
  /** Delivery ID from `X-Webhook-Id`. */
  readonly id: string
  readonly event: string
  readonly attempt: number
  readonly signature: string
  readonly headers: Readonly<Record<string, string>>
  readonly rawBody: Buffer
  /** Parsed JSON body. */
  readonly body: Record<string, unknown>
  /** Milliseconds of the machine's monotonic clock. */
  readonly receivedAtMs: number
}

/** A customer's server on the loopback interface that receives events. */
export interface WebhookReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/hooks`. The URL stays the same after the server was down. */
  readonly url: string
  readonly port: number
  /** All received webhooks, in the order in which they were complete. */
  readonly received: readonly ReceivedWebhook[]
  /** Current and maximum number of requests that wait for a response. */
  readonly inFlight: { readonly now: number; readonly max: number }
  /** Sets the reply to further requests. Defaults to 200 with `ok`. */
  setReply(reply: ReceiverReply | ((webhook: ReceivedWebhook) => ReceiverReply)): void
  /** Calls `listener` with each webhook before the response is sent. */
  onReceived(listener: (webhook: ReceivedWebhook) => void): void
  /** Stops listening on the port and closes all connections. */
  stopListening(): Promise<void>
  startListening(): Promise<void>
}

const OK: ToolReply = { kind: 'raw', body: 'ok', contentType: 'text/plain' }

/** Starts a receiver on a free loopback port. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const listeners: ((webhook: ReceivedWebhook) => void)[] = []
  const inFlight = { now: 0, max: 0 }
  let reply: ReceiverReply | ((webhook: ReceivedWebhook) => ReceiverReply) = OK

  const handleRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const rawBody = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    const webhook = toReceivedWebhook(request, rawBody)
    received.push(webhook)
    inFlight.now += 1
    inFlight.max = Math.max(inFlight.max, inFlight.now)
    response.once('close', () => {
      inFlight.now -= 1
    })
    for (const listener of listeners) listener(webhook)
    const currentReply = typeof reply === 'function' ? reply(webhook) : reply
    if (currentReply.kind !== 'slow') return writeReply(response, currentReply)
    await currentReply.gate
    writeReply(response, OK)
  }
  const createReceiver = (): Server =>
    // A client that disconnects while it is still sending requires no response.
    createServer((request, response) => void handleRequest(request, response).catch(() => response.destroy()))

  let server = createReceiver()
  await listen(server, 0)
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    port,
    received,
    inFlight,
    setReply: (newReply) => {
      reply = newReply
    },
    onReceived: (listener) => listeners.push(listener),
    stopListening: close,
    async startListening() {
      server = createReceiver()
      await listen(server, port)
    },
    [Symbol.asyncDispose]: close,
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}

function toReceivedWebhook(request: IncomingMessage, rawBody: Buffer): ReceivedWebhook {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  return {
    id: headers['x-webhook-id'] ?? '',
    event: headers['x-webhook-event'] ?? '',
    attempt: Number(headers['x-webhook-attempt']),
    signature: headers['x-webhook-signature'] ?? '',
    headers,
    rawBody,
    body: JSON.parse(rawBody.toString()) as Record<string, unknown>,
    receivedAtMs: performance.now(),
  }
}
