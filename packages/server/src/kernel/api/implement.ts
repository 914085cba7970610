import type { InputOf, Operation, ResultOf } from '@parley/contract/operation'
import type { Actor } from '../access/actor.ts'
import type { ReadCache } from '../storage/read-cache.ts'
import type { WithEditCount } from './edits.ts'
import { type Page, printPosition } from './paging.ts'

/** A server-sent event; `id` counts within its stream for `Last-Event-ID`. */
export interface StreamFrame {
  readonly id: number
  readonly event: string
  readonly data: string
}

/** Receives the frames of a streamed answer. */
export interface StreamSink {
  send(frames: readonly StreamFrame[]): void
  /** Sends the last frames and closes the stream. */
  end(frames?: readonly StreamFrame[]): void
}

/** A handler result sent as `text/event-stream`. `open` starts sending and returns a stop function. */
export class EventStream {
  readonly open: (sink: StreamSink) => () => void

  constructor(open: (sink: StreamSink) => () => void) {
    this.open = open
  }
}

/** A handler result that is already JSON text. */
export class JsonText {
  /** Text, or its UTF-8 bytes to avoid encoding it repeatedly. */
  readonly content: string | Buffer

  constructor(content: string | Buffer) {
    this.content = content
  }
}

/** A handler result of bytes, with support for range requests. */
export class ByteContent {
  readonly contentType: string
  readonly sizeBytes: number
  /** Changes with the bytes. Printable ASCII without quotes. */
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

/** Start of the next page; absent on the last page. */
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

/** A file of a `multipart/form-data` request, deleted when the handler settles. */
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

/** Request data beside the input, and headers a handler may set. */
export interface RequestContext {
  readonly actor: Actor
  /** The authorized workspace of the request; 0 when it names none. */
  readonly workspaceId: number
  readonly requestId: string
  /** Edit count of `If-Match`; `null` when absent. */
  readonly ifMatch: number | null
  readonly idempotencyKey: string | null
  readonly acceptsEventStream: boolean
  readonly lastEventId: number | null
  /** Files in the order of the request; empty unless the operation takes uploads. */
  readonly uploads: readonly Upload[]
  client(): RequestClient
  /** Sets the workspace in the audit log for a request that names none. */
  setAuditWorkspace(workspaceId: number): void
  /** Sets the HttpOnly session cookie; `null` removes it. */
  setSession(session: { readonly value: string; readonly maxAgeSeconds: number } | null): void
  setEtag(editCount: number): void
  setNextPage(next: NextPage | null): void
  setReplayed(): void
}

/** The handler of an operation without a result may return nothing. */
type NoContent<Op extends Operation> = ResultOf<Op> extends undefined ? Promise<void> : never

export type Handler<Op extends Operation> = (
  input: InputOf<Op>,
  context: RequestContext,
) => Promise<ResultOf<Op> | JsonText | EventStream | ByteContent> | NoContent<Op>

/** Returns the answer and sets its edit count as the `ETag`. */
export function withEtag<Answer>(
  context: Pick<RequestContext, 'setEtag'>,
  { answer, editCount }: WithEditCount<Answer>,
): Answer {
  context.setEtag(editCount)
  return answer
}

/** Returns the items of a page and sets the key of the next one. */
export function withNextPage<Item>(
  context: Pick<RequestContext, 'setNextPage'>,
  { items, next }: Page<Item>,
  version: number | null = null,
): Item[] {
  context.setNextPage(next && { key: printPosition(next), version })
  return [...items]
}

/** The same with the version of the last item. */
export function withNextVersionPage<Item extends { readonly version: number }>(
  context: Pick<RequestContext, 'setNextPage'>,
  page: Page<Item>,
): Item[] {
  return withNextPage(context, page, page.items.at(-1)?.version)
}

export interface Api {
  add(operation: Operation, handler: (input: never, context: RequestContext) => Promise<unknown>): void
}

/** Mounts a contract operation. */
export function implement<Op extends Operation>(api: Api, operation: Op, handler: Handler<Op>): void {
  api.add(operation, handler as (input: never, context: RequestContext) => Promise<unknown>)
}

/** In characters. Shorter texts are sent in one write with their headers. */
const MIN_BUFFERED_LENGTH = 16_384

/** A cached answer: its text and headers. */
export interface CachedAnswer {
  readonly json: JsonText
  readonly editCount: number | null
  /** Absent for answers without pages. */
  readonly nextPage?: NextPage | null
}

/** An API with the cache of its answers. */
export interface CachedApi {
  readonly api: Api
  readonly answers: ReadCache<CachedAnswer>
}

/** The request data that a cached read may use, so that equal inputs have equal answers. */
export type ReadContext = Pick<RequestContext, 'workspaceId' | 'setEtag' | 'setNextPage'>

/**
 * Mounts an operation that reads only the cache's tables; caches its answers and headers until a table changes.
 * Errors are not cached.
 */
export function implementRead<Op extends Operation>(
  { api, answers }: CachedApi,
  operation: Op,
  handler: (input: InputOf<Op>, context: ReadContext) => Promise<ResultOf<Op>>,
): void {
  implement(api, operation, async (input, context) => {
    const { workspaceId } = context
    const { path, query } = input as { readonly path?: unknown; readonly query?: unknown }
    const key = JSON.stringify([operation.name, workspaceId, path, query])
    const kept = await answers.read(key, () => runForCache(workspaceId, (recorder) => handler(input, recorder)))
    if (kept.editCount !== null) context.setEtag(kept.editCount)
    if (kept.nextPage !== undefined) context.setNextPage(kept.nextPage)
    return kept.json
  })
}

async function runForCache(
  workspaceId: number,
  run: (recorder: ReadContext) => Promise<unknown>,
): Promise<CachedAnswer> {
  let editCount: number | null = null
  let nextPage: NextPage | null | undefined
  const result = await run({
    workspaceId,
    setEtag: (count) => {
      editCount = count
    },
    setNextPage: (next) => {
      nextPage = next
    },
  })
  const text = JSON.stringify(result)
  const json = new JsonText(text.length < MIN_BUFFERED_LENGTH ? text : Buffer.from(text))
  return { json, editCount, ...(nextPage !== undefined && { nextPage }) }
}
