import type { ServerResponse } from 'node:http'
import { type ToolReply, writeReply } from '../tool-server/tool-reply.ts'

/** The server's response to one request, in addition to general faults. */
export type SpeechReply =
  /** Sends the regular response in chunks of this size, one per turn of the event loop. */
  | { readonly kind: 'normal'; readonly chunkBytes?: number; readonly text?: string }
  /** Sends this many bytes of the response and then stalls. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** Sends this many bytes and resets the connection. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** Sends this many bytes and closes its side in the middle of the body. */
  | { readonly kind: 'half-close'; readonly afterBytes: number }
  /** Rejects the key with the provider's error message. */
  | { readonly kind: 'wrong-key' }
  /** Rejects the request due to a rate limit, with `retryAfterSeconds`. */
  | { readonly kind: 'quota'; readonly retryAfterSeconds?: number }
  | ToolReply

/** A complete response. */
export interface SpeechResponse {
  readonly contentType: string
  readonly body: Buffer
}

export function sendError(response: ServerResponse, status: number, error: Readonly<Record<string, string>>): void {
  writeReply(response, { kind: 'json', status, body: { error } })
}

/** Plays one reply; `makeAnswer` creates the regular response. */
export function playReply(response: ServerResponse, reply: SpeechReply, createResponse: () => SpeechResponse): void {
  switch (reply.kind) {
    case 'normal': {
      const { contentType, body } = createResponse()
      response.writeHead(200, { 'content-type': contentType })
      sendChunks(response, body, reply.chunkBytes ?? body.length)
      return
    }
    case 'stall':
    case 'reset':
    case 'half-close': {
      const { contentType, body } = createResponse()
      response.writeHead(200, { 'content-type': contentType })
      response.write(body.subarray(0, reply.afterBytes), () => {
        if (reply.kind === 'reset') response.socket?.resetAndDestroy()
        else if (reply.kind === 'half-close') response.socket?.end()
      })
      return
    }
    case 'wrong-key':
      sendError(response, 401, {
        message: 'Incorrect API key provided: sk-te**********cdef.',
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      })
      return
    case 'quota': {
      const headers = reply.retryAfterSeconds === undefined ? {} : { 'retry-after': String(reply.retryAfterSeconds) }
      const error = { message: 'Rate limit reached for you.', type: 'requests', code: 'rate_limit_exceeded' }
      writeReply(response, { kind: 'json', status: 429, headers, body: { error } })
      return
    }
    default:
      writeReply(response, reply)
  }
}

function sendChunks(response: ServerResponse, body: Buffer, size: number): void {
  if (response.destroyed) return
  if (body.length <= size) {
    response.end(body)
    return
  }
  response.write(body.subarray(0, size), () => setImmediate(sendChunks, response, body.subarray(size), size))
}
