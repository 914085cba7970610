import { Agent as HttpAgent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

const TIMEOUT_MS = 5_000

/** A request as sent, valid or not. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body: string | Buffer | null
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Sends requests over a limited number of connections. Rejects on a timeout. */
export function createSender(url: string, connections: number) {
  const { hostname, port } = new URL(url)
  const agent = new HttpAgent({ keepAlive: true, maxSockets: connections })

  function send({ method, path, headers, body }: RawRequest): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      // Node omits the length of a DELETE body, so the body would be parsed as the next request.
      const framed = body === null ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
      const outgoing = request(
        { hostname, port, method, path, headers: framed, agent, timeout: TIMEOUT_MS },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8')
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
          })
        },
      )
      outgoing.on('timeout', () => outgoing.destroy(new Error(`No answer within ${TIMEOUT_MS} ms.`)))
      outgoing.on('error', reject)
      outgoing.end(body ?? undefined)
    })
  }

  return { send, close: () => agent.destroy() }
}

/** Describes the request for failure messages. */
export function describeRequest({ method, path, headers, body }: RawRequest): string {
  return `${method} ${path.slice(0, 500)} ${JSON.stringify(headers).slice(0, 700)}\n${String(body).slice(0, 3000)}`
}
