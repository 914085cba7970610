import type { InputOf, Operation, ResultOf } from '@parley/contract/operation'
import type { Actor } from '../access/actor.ts'
import type { ReadCache } from '../storage/read-cache.ts'
import type { WithEditCount } from './edits.ts'
import { encodePosition, type Page } from './paging.ts'

/** A server-sent event. `id` counts within the stream and is sent back as `Last-Event-ID`. */
export interface StreamFrame {
  readonly id: number
  readonly event: string
  readonly data: string
}

/** Receives the frames of a streamed response. */
export interface StreamSink {
  send(frames: readonly StreamFrame[]): void
  /** Sends the last frames and closes the stream. */
  end(frames?: readonly StreamFrame[]): void
}

/** A handler result sent as `text/event-stream`. `open` starts sending and returns a function that stops it. */
export class EventStream {
  readonly open: (sink: StreamSink) => () => void

  constructor(open: (sink: StreamSink) => () => void) {
    this.open = open
  }
}

/** A handler result that is already serialized to JSON. */
export class JsonText {
  /** The JSON as text, or as UTF-8 bytes to avoid encoding it repeatedly. */
  readonly content: string | Buffer

  constructor(content: string | Buffer) {
    this.content = content
  }
}

/** A handler result of bytes. Clients can request byte ranges. */
export class ByteContent {
  readonly contentType: string
  readonly sizeBytes: number
  /** Identifies the content: different bytes have a different version. Printable ASCII without quotes. */
  readonly version: string
  readonly filename: string
  readonly read: (start: number, length: number) => AsyncIterable<Uint8Array>

  /** `read` must return exactly the requested bytes. */
  constructor(content: Pick<ByteContent, 'contentType' | 'sizeBytes' | 'version' | 'filename' | 'read'>) {
    this.contentType = content.contentType
    this.sizeBytes = content.sizeBytes
    this.version = content.version
    this.filename = content.filename
    this.read = content.read
  }
}

/** Start of the next page. */
export interface NextPage {
  readonly key: string
  readonly version: number | null
}

/** Origin of a request as reported by trusted proxies. */
export interface RequestClient {
  readonly ip: string
  /** Requested host with port, in lower case. */
  readonly host: string
  readonly userAgent: string
  readonly isHttps: boolean
}

/** An uploaded file of a `multipart/form-data` request. The server deletes the file when the handler finishes. */
export interface Upload {
  /** Form field name. */
  readonly field: string
  /** Base name without control characters, at most 255 characters; `''` when absent. */
  readonly filename: string
  /** Declared type in lower case, without parameters. */
  readonly contentType: string | null
  readonly sizeBytes: number
  /** Lower-case hex digest. */
  readonly sha256: string
  /** Reads the content from the start; may be called again. */
  open(): AsyncIterable<Uint8Array>
}

/** Request data besides the input, and setters for response headers. */
export interface RequestContext {
  readonly actor: Actor
  /** The authorized workspace of the request, or 0 if the request has no workspace. */
  readonly workspaceId: number
  readonly requestId: string
  /** Edit count from the `If-Match` header, or null if the header is absent. */
  readonly ifMatch: number | null
  readonly idempotencyKey: string | null
  readonly acceptsEventStream: boolean
  readonly lastEventId: number | null
  /** Files in the order of the request. Empty unless the operation accepts uploads. */
  readonly uploads: readonly Upload[]
  getClient(): RequestClient
  /** Sets the workspace of the audit log entry if the request has no workspace. */
  setAuditWorkspace(workspaceId: number): void
  /** Sets the HttpOnly session cookie, or removes the cookie if `session` is null. */
  setSession(session: { readonly value: string; readonly maxAgeSeconds: number } | null): void
  setEtag(editCount: number): void
  setNextPage(nextPage: NextPage | null): void
  setReplayed(): void
}

/** Allows the handler of an operation without a result to return nothing. */
type NoContent<Op extends Operation> = ResultOf<Op> extends undefined ? Promise<void> : never

export type Handler<Op extends Operation> = (
  input: InputOf<Op>,
  context: RequestContext,
) => Promise<ResultOf<Op> | JsonText | EventStream | ByteContent> | NoContent<Op>

/** Returns the response body and sends the edit count as the `ETag`. */
export function respondWithEtag<Response>(
  context: Pick<RequestContext, 'setEtag'>,
  { response, editCount }: WithEditCount<Response>,
): Response {
  context.setEtag(editCount)
  return response
}

/** Returns the items of a page and sets the key of the next page. */
export function respondWithPage<Item>(
  context: Pick<RequestContext, 'setNextPage'>,
  { items, next }: Page<Item>,
  version: number | null = null,
): Item[] {
  context.setNextPage(next && { key: encodePosition(next), version })
  return [...items]
}

/** Returns the items of a page and sets the key of the next page, with the version of the last item. */
export function respondWithVersionPage<Item extends { readonly version: number }>(
  context: Pick<RequestContext, 'setNextPage'>,
  page: Page<Item>,
): Item[] {
  return respondWithPage(context, page, page.items.at(-1)?.version)
}

export interface Api {
  add(operation: Operation, handler: (input: never, context: RequestContext) => Promise<unknown>): void
}

/** Mounts a contract operation on the API. */
export function implement<Op extends Operation>(api: Api, operation: Op, handler: Handler<Op>): void {
  api.add(operation, handler as (input: never, context: RequestContext) => Promise<unknown>)
}

/** Texts shorter than this many characters are sent together with their headers in one write. */
const MIN_BUFFERED_LENGTH = 16_384

/** A cached response: its text and headers. */
export interface CachedResponse {
  readonly json: JsonText
  readonly editCount: number | null
  /** Absent for responses without pages. */
  readonly nextPage?: NextPage | null
}

/** An API with its response cache. */
export interface CachedApi {
  readonly api: Api
  readonly responses: ReadCache<CachedResponse>
}

/** The request data that a cached read can use. Equal inputs must produce equal responses. */
export type ReadContext = Pick<RequestContext, 'workspaceId' | 'setEtag' | 'setNextPage'>

/**
 * Mounts an operation that reads only the cache's tables. Caches responses and headers until one of the tables changes,
 * but never caches errors.
 */
export function implementRead<Op extends Operation>(
  { api, responses }: CachedApi,
  operation: Op,
  handler: (input: InputOf<Op>, context: ReadContext) => Promise<ResultOf<Op>>,
): void {
  implement(api, operation, async (input, context) => {
    const { workspaceId } = context
    const { path, query } = input as { readonly path?: unknown; readonly query?: unknown }
    const key = JSON.stringify([operation.name, workspaceId, path, query])
    const cachedResponse = await responses.read(key, () =>
      buildCachedResponse(workspaceId, (recorder) => handler(input, recorder)),
    )
    if (cachedResponse.editCount !== null) context.setEtag(cachedResponse.editCount)
    if (cachedResponse.nextPage !== undefined) context.setNextPage(cachedResponse.nextPage)
    return cachedResponse.json
  })
}

async function buildCachedResponse(
  workspaceId: number,
  runHandler: (recorder: ReadContext) => Promise<unknown>,
): Promise<CachedResponse> {
  let editCount: number | null = null
  let nextPage: NextPage | null | undefined
  const result = await runHandler({
    workspaceId,
    setEtag: (count) => {
      editCount = count
    },
    setNextPage: (page) => {
      nextPage = page
    },
  })
  const text = JSON.stringify(result)
  const json = new JsonText(text.length < MIN_BUFFERED_LENGTH ? text : Buffer.from(text))
  return { json, editCount, ...(nextPage !== undefined && { nextPage }) }
}
