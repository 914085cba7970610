import { createSseStream } from '../../packages/server/src/integrations/models/sse-stream.ts'
import { buildSocketUrl, VendorSocket } from '../../packages/server/src/integrations/speech/vendor-socket.ts'
import { CheckError, type VendorAccess } from './check.ts'

export interface RawEvent {
  readonly event: string | null
  readonly data: string
}

/** Sends a JSON request without an adapter and returns the events of the response. */
export async function readRawEvents(
  access: VendorAccess,
  request: { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly body: object },
  signal: AbortSignal,
): Promise<readonly RawEvent[]> {
  const { url, headers, body } = request
  const response = await access.http.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
    signal,
  })
  const events: RawEvent[] = []
  const stream = createSseStream(({ event, data }) => events.push({ event: event ?? null, data }))
  for await (const chunk of response.body) stream.push(chunk as Buffer)
  if (response.statusCode !== 200) throw new CheckError(`The response had status ${response.statusCode}.`)
  return events
}

export type RawMessage = Readonly<Record<string, unknown>>

/** A socket without an adapter. */
export interface RawSocket extends Disposable {
  send(message: object | string | Uint8Array): void
  /** Waits for the next message that fulfills the condition. Earlier messages are skipped. */
  receive(isExpected: (message: RawMessage) => boolean): Promise<RawMessage>
  /** Number of binary bytes that have arrived. */
  readonly receivedBytes: number
}

export interface RawSocketOptions {
  readonly path: string
  readonly parameters: Parameters<typeof buildSocketUrl>[2]
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export function openRawSocket(access: VendorAccess, options: RawSocketOptions): RawSocket {
  const { openSocket, clock, baseUrl } = access
  const { path, parameters, headers, signal } = options
  const messages: RawMessage[] = []
  let error: CheckError | null = null
  let receivedBytes = 0
  let notify: () => void = () => undefined
  const socket = new VendorSocket({
    openSocket,
    clock,
    url: buildSocketUrl(baseUrl, path, parameters),
    headers,
    onMessage: (message) => {
      messages.push(message)
      notify()
    },
    onBinary: (bytes) => {
      receivedBytes += bytes.length
    },
    onFailed: ({ kind, message }) => {
      error = new CheckError(`The socket failed (${kind}): ${message}`)
      notify()
    },
  })
  const close = (): void => {
    socket.close()
    notify()
  }
  signal.addEventListener('abort', close, { once: true })
  return {
    send: (message) =>
      typeof message === 'string' || message instanceof Uint8Array
        ? socket.send(message)
        : socket.send(JSON.stringify(message)),
    async receive(isExpected) {
      for (;;) {
        for (let message = messages.shift(); message !== undefined; message = messages.shift()) {
          if (isExpected(message)) return message
        }
        if (error !== null) throw error
        signal.throwIfAborted()
        await new Promise<void>((resolve) => {
          notify = resolve
        })
      }
    },
    get receivedBytes() {
      return receivedBytes
    },
    [Symbol.dispose]: close,
  }
}
