import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ToolReply, writeReply } from '../tool-server/tool-reply.ts'

/** The reaction to a request; `slow` answers when the test releases it. */
export type ReceiverReply = ToolReply | { readonly kind: 'slow'; readonly gate: Promise<void> }

/** A received webhook. */
export interface ReceivedWebhook {
  /** `X-Webhook-Id`. */
  readonly id: string
  readonly event: string
  readonly attempt: number
  readonly signature: string
  readonly headers: Readonly<Record<string, string>>
  readonly rawBody: Buffer
  /** The body as JSON. */
  readonly body: Record<string, unknown>
  /** Milliseconds of the machine's steady clock. */
  readonly receivedAtMs: number
}

/** A customer's server on the loopback address that receives events. */
export interface WebhookReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/hooks`: the same also after it was down. */
  readonly url: string
  readonly port: number
  /** Everything that came, in the order in which it was complete. */
  readonly received: readonly ReceivedWebhook[]
  /** Requests that wait for an answer at this moment, and the most at any one. */
  readonly inFlight: { readonly now: number; readonly max: number }
  /** The answer to further requests; 200 and `ok` by default. */
  answer(reply: ReceiverReply | ((webhook: ReceivedWebhook) => ReceiverReply)): void
  /** Calls `listener` with each webhook before it is answered. */
  onReceived(listener: (webhook: ReceivedWebhook) => void): void
  /** Nobody listens on the port any more; connections are cut. */
  stopListening(): Promise<void>
  startListening(): Promise<void>
}

const OK: ToolReply = { kind: 'raw', body: 'ok', contentType: 'text/plain' }

/** Starts a receiver on a free port of the loopback. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const listeners: ((webhook: ReceivedWebhook) => void)[] = []
  const inFlight = { now: 0, max: 0 }
  let reply: ReceiverReply | ((webhook: ReceivedWebhook) => ReceiverReply) = OK

  const handleRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const rawBody = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    const webhook = record(request, rawBody)
    received.push(webhook)
    inFlight.now += 1
    inFlight.max = Math.max(inFlight.max, inFlight.now)
    response.once('close', () => {
      inFlight.now -= 1
    })
    for (const listener of listeners) listener(webhook)
    const chosen = typeof reply === 'function' ? reply(webhook) : reply
    if (chosen.kind !== 'slow') return writeReply(response, chosen)
    await chosen.gate
    writeReply(response, OK)
  }
  const open = (): Server =>
    // A client that goes away while it still sends leaves nothing to answer.
    createServer((request, response) => void handleRequest(request, response).catch(() => response.destroy()))

  let server = open()
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
    answer: (next) => {
      reply = next
    },
    onReceived: (listener) => listeners.push(listener),
    stopListening: close,
    async startListening() {
      server = open()
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

function record(request: IncomingMessage, rawBody: Buffer): ReceivedWebhook {
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
