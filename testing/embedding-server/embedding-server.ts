import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ToolReply, writeReply } from '../tool-server/tool-reply.ts'
import { type CreateVector, createConceptVectors } from './concept-vectors.ts'
import { type EmbeddingElement, readRequest, renderElements } from './embedding-wire.ts'

/** Reply to one request: vectors, optionally modified, or any server fault. */
export type EmbeddingReply =
  | { readonly kind: 'vectors'; readonly alter?: (elements: EmbeddingElement[]) => unknown }
  | ToolReply

export interface EmbeddingRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly model: string
  readonly input: readonly string[]
  readonly encoding: 'float' | 'base64'
  readonly dimensions: number | null
}

export interface EmbeddingServerOptions {
  /** Creates vectors with meaning. If absent, vectors depend on words only. */
  readonly createVector?: CreateVector
  /** Accepted API key; other keys are rejected with 401. If absent, every request is accepted. */
  readonly apiKey?: string
  /** Whether base64 is supported. If false, base64 is rejected with 400, as by servers that support only lists of numbers. */
  readonly supportsBase64?: boolean
  /** Maximum text length. Longer texts are rejected with 400, as by models with a small context. */
  readonly maxCharacters?: number
}

/** An embedding provider on the loopback interface. */
export interface EmbeddingServer extends AsyncDisposable {
  /** `baseUrl` for clients: `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string
  /** Requests in order of arrival. */
  readonly requests: readonly EmbeddingRequest[]
  /** Adds replies for the next requests, in order. When none are left, the server responds with vectors. */
  script(...replies: readonly EmbeddingReply[]): void
  /** Sets the reply to all further requests; null restores vectors. */
  setReply(reply: EmbeddingReply | null): void
  /** Resolves when `count` requests have arrived. */
  received(count: number): Promise<void>
  /** Resolves when a client has closed a connection before the response was complete. */
  abandoned(): Promise<void>
  close(): Promise<void>
}

/** Starts a server on a free loopback port with the documented wire format: `POST /v1/embeddings`. */
export async function startEmbeddingServer(options: EmbeddingServerOptions = {}): Promise<EmbeddingServer> {
  const createVector = options.createVector ?? createConceptVectors()
  const requests: EmbeddingRequest[] = []
  const replies: EmbeddingReply[] = []
  let defaultReply: EmbeddingReply | null = null
  const watchers = new Set<{ readonly count: number; readonly resolve: () => void }>()
  const clientAborted = Promise.withResolvers<void>()

  async function handleRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const bodyText = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>)).toString('utf8')
    response.on('close', () => {
      if (!response.writableFinished) clientAborted.resolve()
    })
    if (incoming.method !== 'POST' || incoming.url?.split('?')[0] !== '/v1/embeddings') {
      rejectRequest(response, 404, 'There is nothing here.')
      return
    }
    const parsedRequest = readRequest(bodyText)
    if (typeof parsedRequest === 'string') {
      rejectRequest(response, 400, parsedRequest)
      return
    }
    const request = { path: incoming.url, authorization: incoming.headers.authorization, ...parsedRequest }
    requests.push(request)
    for (const watcher of watchers) {
      if (requests.length >= watcher.count && watchers.delete(watcher)) watcher.resolve()
    }
    const reply = replies.shift() ?? defaultReply ?? { kind: 'vectors' }
    if (reply.kind !== 'vectors') writeReply(response, reply)
    else sendVectors(response, request, reply.alter)
  }

  function sendVectors(
    response: ServerResponse,
    request: EmbeddingRequest,
    alter: ((elements: EmbeddingElement[]) => unknown) | undefined,
  ): void {
    const { apiKey, supportsBase64 = true, maxCharacters = Number.POSITIVE_INFINITY } = options
    const { authorization, encoding, input, model, dimensions } = request
    if (apiKey !== undefined && authorization !== `Bearer ${apiKey}`) {
      rejectRequest(response, 401, 'Incorrect API key provided.')
    } else if (encoding === 'base64' && !supportsBase64) {
      rejectRequest(response, 400, 'Unknown encoding_format.')
    } else if (input.some((text) => text.length > maxCharacters)) {
      rejectRequest(response, 400, 'This input is longer than the context of the model.')
    } else {
      const vectors = input.map((text) => createVector(text).slice(0, dimensions ?? undefined))
      const elements = renderElements(vectors, encoding)
      const usage = { prompt_tokens: input.length, total_tokens: input.length }
      const body = { object: 'list', data: alter === undefined ? elements : alter(elements), model, usage }
      writeReply(response, { kind: 'json', body })
    }
  }

  const server = createServer((incoming, response) => {
    // A client that disconnects while it is still sending requires no response.
    handleRequest(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    script: (...newReplies) => void replies.push(...newReplies),
    setReply(reply) {
      defaultReply = reply
    },
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve()
        else watchers.add({ count, resolve })
      }),
    abandoned: () => clientAborted.promise,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function rejectRequest(response: ServerResponse, status: number, message: string): void {
  writeReply(response, { kind: 'json', status, body: { error: { message, type: 'invalid_request_error' } } })
}
