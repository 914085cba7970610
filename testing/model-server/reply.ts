/** Which provider's wire a request spoke. */
export type Wire = 'openai' | 'anthropic'

export interface ScriptedToolCall {
  /** Absent: the server makes one. Empty: sent empty, as some servers do. */
  readonly id?: string
  readonly name: string
  /** Sent unchanged, even if it is invalid JSON. */
  readonly arguments: string
  /** Where the text is cut into deltas, in characters; absent: one delta. */
  readonly splits?: readonly number[]
}

export interface ScriptedUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens?: number
}

/** An answer as a model gives it. Every field but `text` has a sensible default. */
export interface ScriptedAnswer {
  /** Streamed word by word; blank or empty text is streamed unchanged. */
  readonly text?: string
  /** How many deltas the text is cut into; absent: one per word. */
  readonly chunks?: number
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** null: not reported even if asked for; absent: counted from the text. */
  readonly usage?: ScriptedUsage | null
  /** Absent: `tool-calls` if there are any, else `stop`. */
  readonly finish?: 'stop' | 'tool-calls' | 'length' | 'refusal'
  /** The text is sent as a refusal (where the wire has a field for it) and the answer ends as one. */
  readonly refusal?: boolean
  readonly delayPerWordMs?: number
  /** A comment line before every delta. */
  readonly keepAliveComments?: boolean
  /** A thinking block (or reasoning field) that clients must ignore. */
  readonly thinking?: string
  /** Leaves the end mark out (`no-done`), or the finish reason too (`no-finish`). The response itself ends cleanly. */
  readonly ending?: 'complete' | 'no-done' | 'no-finish'
}

/** A fault. `afterWords` is the number of text deltas sent before it. */
export type ScriptedFault =
  | {
      readonly fault: 'status'
      readonly status: number
      readonly retryAfter?: string | Date
      readonly retryAfterMs?: number
      /** Absent: the wire's own error JSON. */
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** `accept`: the request is taken and never answered; `headers`: only the head of the response is sent. */
  | { readonly fault: 'hang'; readonly after: 'accept' | 'headers' }
  | { readonly fault: 'hang'; readonly after: 'words'; readonly words: number }
  /** The socket is cut without an end. */
  | { readonly fault: 'cut'; readonly afterWords: number }
  /** One `data:` line that is not JSON, then the rest of a good answer. */
  | { readonly fault: 'garbage-line'; readonly afterWords: number }
  /** One `data:` line of `sizeBytes` without an end in sight. */
  | { readonly fault: 'huge-line'; readonly sizeBytes: number }
  /** Status 200 and a web page. */
  | { readonly fault: 'html' }
  /** An error inside the stream, as the wire spells it. */
  | {
      readonly fault: 'error-event'
      readonly afterWords: number
      readonly kind: 'overloaded' | 'rate-limit' | 'invalid-request' | 'authentication'
    }

/** What the server does, one after the other. The last step is `end`, `cut` or `hang`. */
export type Step =
  | { readonly kind: 'head'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'write'; readonly bytes: Buffer }
  | { readonly kind: 'wait'; readonly delayMs: number }
  /** Writes one endless line of this many bytes, as fast as the client reads. */
  | { readonly kind: 'flood'; readonly sizeBytes: number }
  | { readonly kind: 'end' | 'cut' | 'hang' }

/** A prerendered reply for benchmarks, or one that is rendered step by step. */
export interface PreparedReply {
  readonly steps: Iterable<Step>
}

export type ModelReply = ScriptedAnswer | ScriptedFault | PreparedReply

/** What of a request a reply may depend on. */
export interface ModelServerRequest {
  readonly wire: Wire
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The parsed body. */
  readonly body: Readonly<Record<string, unknown>>
}

/** The analysis request for an ended conversation, which arrives independently of turns. */
export function isAnalysisRequest({ body }: Pick<ModelServerRequest, 'body'>): boolean {
  return JSON.stringify(body.tools ?? []).includes('report_analysis')
}

/** The text of the last user message, or ''. */
export function lastUserText(request: ModelServerRequest): string {
  const messages = Array.isArray(request.body.messages) ? (request.body.messages as unknown[]) : []
  const last = messages.findLast((message) => isRecord(message) && message.role === 'user')
  const content = isRecord(last) ? last.content : ''
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content) ? (content as unknown[]) : []
  return blocks.map((block) => (isRecord(block) && typeof block.text === 'string' ? block.text : '')).join('')
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
