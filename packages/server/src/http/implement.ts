import type { InputOf, Operation, ResultOf } from '@parley/contract/operation'
import type { Actor } from '../kernel/actor.ts'

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

/** Where the next page begins; absent when there is none. */
export interface NextPage {
  readonly key: string
  readonly version: number | null
}

/** What a handler knows of its request beside the input, and the headers it may set. */
export interface RequestContext {
  readonly actor: Actor
  /** The workspace the caller named and reaches; 0 on operations without one. */
  readonly workspaceId: number
  readonly requestId: string
  /** Edit count of `If-Match`; `null` when the caller did not send one. */
  readonly ifMatch: number | null
  readonly idempotencyKey: string | null
  readonly acceptsEventStream: boolean
  readonly lastEventId: number | null
  setEtag(editCount: number): void
  setNextPage(next: NextPage | null): void
  setReplayed(): void
}

export type Handler<Op extends Operation> = (
  input: InputOf<Op>,
  context: RequestContext,
) => Promise<ResultOf<Op> | EventStream>

/** Where operations are mounted. */
export interface Api {
  add(operation: Operation, handler: (input: never, context: RequestContext) => Promise<unknown>): void
}

/** Mounts one contract operation. Curried, so that the operation fixes the types before the handler is checked. */
export function implement<Op extends Operation>(api: Api, operation: Op) {
  return (handler: Handler<Op>): void =>
    api.add(operation, handler as (input: never, context: RequestContext) => Promise<unknown>)
}
