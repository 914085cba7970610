import type { ServerResponse } from 'node:http'

/** A scripted server's reply to one request. */
export type ToolReply =
  | { readonly kind: 'json'; readonly body: unknown; readonly status?: number; readonly headers?: ReplyHeaders }
  | {
      readonly kind: 'raw'
      readonly body: Buffer | string
      readonly contentType: string
      readonly status?: number
      readonly headers?: ReplyHeaders
    }
  | { readonly kind: 'html'; readonly status?: number }
  | { readonly kind: 'binary' }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: number }
  /** Accepts the request and never responds. */
  | { readonly kind: 'hang' }
  /** Closes the connection without a response. */
  | { readonly kind: 'refuse' }
  /** Closes the connection in the middle of the body. */
  | { readonly kind: 'cut' }
  /** Sends a few bytes of an endless body in each turn of the event loop. */
  | { readonly kind: 'drip' }
  /** Sends data without a declared length until the client disconnects or `sizeBytes` are sent. */
  | { readonly kind: 'flood'; readonly sizeBytes: number }
  /** Declares a longer body than it sends. */
  | { readonly kind: 'wrong-length' }
  /** Responds with data that is not HTTP. */
  | { readonly kind: 'garbage' }

type ReplyHeaders = Readonly<Record<string, string>>

const FLOOD_CHUNK = Buffer.alloc(64 * 1024, 'x')

/** Plays one reply. */
export function writeReply(response: ServerResponse, reply: ToolReply): void {
  switch (reply.kind) {
    case 'json':
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
      response.end(JSON.stringify(reply.body))
      return
    case 'raw':
      response.writeHead(reply.status ?? 200, { 'content-type': reply.contentType, ...reply.headers })
      response.end(reply.body)
      return
    case 'html':
      response.writeHead(reply.status ?? 200, { 'content-type': 'text/html; charset=utf-8' })
      response.end('<!doctype html><title>Sign in</title><p>Please sign in.</p>')
      return
    case 'binary':
      response.writeHead(200, { 'content-type': 'image/png' })
      response.end(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0xff]))
      return
    case 'redirect':
      response.writeHead(reply.status ?? 302, { location: reply.to })
      response.end('Moved')
      return
    case 'hang':
      return
    case 'drip':
    case 'flood':
      response.writeHead(200, { 'content-type': 'text/plain' })
      if (reply.kind === 'drip') streamEndlessly(response)
      else flood(response, reply.sizeBytes)
      return
    case 'refuse':
    case 'cut':
    case 'wrong-length':
    case 'garbage':
      sendBrokenResponse(response, reply.kind)
  }
}

function sendBrokenResponse(response: ServerResponse, kind: 'refuse' | 'cut' | 'wrong-length' | 'garbage'): void {
  if (kind === 'refuse') {
    response.destroy()
    return
  }
  // Bypasses the HTTP layer, which would block an invalid response.
  const text = {
    cut: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n',
    'wrong-length': 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello',
    garbage: 'I am no web server\r\n\r\n',
  }[kind]
  response.socket?.end(text)
}

function streamEndlessly(response: ServerResponse): void {
  if (response.destroyed) return
  response.write('. ', () => setImmediate(streamEndlessly, response))
}

function flood(response: ServerResponse, remainingBytes: number): void {
  if (response.destroyed) return
  if (remainingBytes <= 0) {
    response.end()
    return
  }
  const chunk = FLOOD_CHUNK.subarray(0, remainingBytes)
  response.write(chunk, () => flood(response, remainingBytes - chunk.length))
}
