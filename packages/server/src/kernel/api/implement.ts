import type { InputOf, Operation, ResultOf } from '@parley/contract/operation'
import type { Actor } from '../access/actor.ts'
import type { ReadCache } from '../storage/read-cache.ts'
import type { WithEditCount } from './edits.ts'

/** One server-sent event; `id` counts within its stream, so that `Last-Event-ID` can resume it. */
export interface StreamFrame {
  readonly id: number
  readonly event: string
  /** JSON text. */
  readonly data: string
}

/** Receives the frames of one streamed answer. */
export interface StreamSink {
  send(frames: readonly StreamFrame[]): void
  /** Sends the last frames and closes. */
  end(frames?: readonly StreamFrame[]): void
}

/** A handler returns this to answer with `text/event-stream`. `open` starts sending and returns what stops it. */
export class EventStream {
  readonly open: (sink: StreamSink) => () => void

  constructor(open: (sink: StreamSink) => () => void) {
    this.open = open
  }
}

/** A handler returns this to answer with JSON of the operation's result that is text already. */
export class JsonText {
  /** Text, or its UTF-8 bytes, which saves encoding it each time it is sent. */
  readonly content: string | Buffer

  constructor(content: string | Buffer) {
    this.content = content
  }
}

/** A handler returns this to answer with bytes, of which the caller may ask for a range. */
export class ByteContent {
  readonly contentType: string
  readonly sizeBytes: number
  /** Changes when the bytes do. Printable ASCII without quotes. */
  readonly version: string
  readonly filename: string
  readonly read: (start: number, length: number) => AsyncIterable<Uint8Array>

  /** `read` gives exactly the bytes that are asked for, all of which are there. */
  constructor(content: Pick<ByteContent, 'contentType' | 'sizeBytes' | 'version' | 'filename' | 'read'>) {
    this.contentType = content.contentType
    this.sizeBytes = content.sizeBytes
    this.version = content.version
    this.filename = content.filename
    this.read = content.read
  }
}

/** Where the next page begins; absent when there is none. */
export interface NextPage {
  readonly key: string
  readonly version: number | null
}

/** Where a request comes from, as far as the trusted proxies tell. */
export interface RequestClient {
  readonly ip: string
  /** The host that was asked, with its port, in lower case. */
  readonly host: string
  readonly userAgent: string
  readonly isHttps: boolean
}

/** A file of a `multipart/form-data` request. It is on the disk until the handler has settled, and gone after that. */
export interface Upload {
  /** Name of the form field that it came in. */
  readonly field: string
  /** Base name without control characters, at most 255 characters; `''` when the caller named none. */
  readonly filename: string
  /** As the caller named it, in lower case and without parameters. */
  readonly contentType: string | null
  readonly sizeBytes: number
  /** Lower-case hex digest of the content. */
  readonly sha256: string
  /** The content from its first byte; may be called again. */
  open(): AsyncIterable<Uint8Array>
}

/** What a handler knows of its request beside the input, and the headers it may set. */
export interface RequestContext {
  readonly actor: Actor
  /** The workspace that the caller named and may do this in; 0 when it named none. */
  readonly workspaceId: number
  readonly requestId: string
  /** Edit count of `If-Match`; `null` when the caller did not send one. */
  readonly ifMatch: number | null
  readonly idempotencyKey: string | null
  readonly acceptsEventStream: boolean
  readonly lastEventId: number | null
  /** Files of the request in the order they came; none unless the operation takes uploads. */
  readonly uploads: readonly Upload[]
  client(): RequestClient
  /** Tells the audit log which workspace a request was about that named none. */
  setAuditWorkspace(workspaceId: number): void
  /** Sends a login to the browser as a cookie that pages cannot read; `null` ends it. */
  setSession(session: { readonly value: string; readonly maxAgeSeconds: number } | null): void
  setEtag(editCount: number): void
  setNextPage(next: NextPage | null): void
  setReplayed(): void
}

export type Handler<Op extends Operation> = (
  input: InputOf<Op>,
  context: RequestContext,
) => Promise<ResultOf<Op> | JsonText | EventStream | ByteContent>

/** Hands an answer on and tells its edit count as the `ETag`. */
export function withEtag<Answer>(
  context: Pick<RequestContext, 'setEtag'>,
  { answer, editCount }: WithEditCount<Answer>,
): Answer {
  context.setEtag(editCount)
  return answer
}

/** Where operations are mounted. */
export interface Api {
  add(operation: Operation, handler: (input: never, context: RequestContext) => Promise<unknown>): void
}

/** Mounts one contract operation. Curried, so that the operation fixes the types before the handler is checked. */
export function implement<Op extends Operation>(api: Api, operation: Op) {
  return (handler: Handler<Op>): void =>
    api.add(operation, handler as (input: never, context: RequestContext) => Promise<unknown>)
}

/** Characters. A short text leaves in one write with its headers, which is worth more than its encoding. */
const MIN_BUFFERED_LENGTH = 16_384

/** An answer as it is kept: the text of its result and what its handler said about headers. */
export interface CachedAnswer {
  readonly json: JsonText
  readonly editCount: number | null
  /** Absent when the answer is not a page. */
  readonly nextPage?: NextPage | null
}

/** What a read may know of its request, so that the same input in the same workspace has the same answer. */
export type ReadContext = Pick<RequestContext, 'workspaceId' | 'setEtag' | 'setNextPage'>

/**
 * Mounts an operation that only reads the cache's tables: its answers, headers included, are kept until one of them changes.
 * A refusal is not kept.
 */
export function implementRead<Op extends Operation>(api: Api, operation: Op, cache: ReadCache<CachedAnswer>) {
  return (handler: (input: InputOf<Op>, context: ReadContext) => Promise<ResultOf<Op>>): void =>
    implement(
      api,
      operation,
    )(async (input, context) => {
      const { workspaceId } = context
      const { path, query } = input as { readonly path?: unknown; readonly query?: unknown }
      const key = JSON.stringify([operation.name, workspaceId, path, query])
      const kept = await cache.read(key, () => runForCache(workspaceId, (recorder) => handler(input, recorder)))
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
