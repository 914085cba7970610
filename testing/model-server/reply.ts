/** Wire format of a request, by vendor. */
export type Wire = 'openai' | 'anthropic'

export interface ScriptedToolCall {
  /** ID of the call. If absent, the server generates an ID. An empty ID is sent empty, as some servers do. */
  readonly id?: string
  readonly name: string
  /** Arguments, sent unchanged even if they are invalid JSON. */
  readonly arguments: string
  /** Positions in characters at which the text is split into deltas. If absent, the text is one delta. */
  readonly splits?: readonly number[]
}

export interface ScriptedUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens?: number
}

/** An answer of a model. Every field except `text` has a reasonable default. */
export interface ScriptedAnswer {
  /** Text, streamed word by word. Blank or empty text is streamed unchanged. */
  readonly text?: string
  /** Number of deltas of the text. If absent, each word is one delta. */
  readonly chunks?: number
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** Reported usage. If null, usage is not reported even if requested. If absent, usage is counted from the text. */
  readonly usage?: ScriptedUsage | null
  /** Finish reason. If absent, `tool-calls` if there are any, otherwise `stop`. */
  readonly finish?: 'stop' | 'tool-calls' | 'length' | 'refusal'
  /** Whether the text is sent as a refusal, if the wire format has a field for it, and ends the answer. */
  readonly refusal?: boolean
  readonly delayPerWordMs?: number
  /** Whether to send a comment line before every delta. */
  readonly keepAliveComments?: boolean
  /** A thinking block or reasoning field that clients must ignore. */
  readonly thinking?: string
  /** Whether to omit the end mark (`no-done`), or also the finish reason (`no-finish`). The response still ends cleanly. */
  readonly ending?: 'complete' | 'no-done' | 'no-finish'
}

/** A fault. `afterWords` is the number of text deltas sent before it. */
export type ScriptedFault =
  | {
      readonly fault: 'status'
      readonly status: number
      readonly retryAfter?: string | Date
      readonly retryAfterMs?: number
      /** Error body. If absent, the error JSON of the wire format. */
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** `accept`: the request is accepted but never answered; `headers`: only the response headers are sent. */
  | { readonly fault: 'hang'; readonly after: 'accept' | 'headers' }
  | { readonly fault: 'hang'; readonly after: 'words'; readonly words: number }
  /** Breaks the connection without ending the response. */
  | { readonly fault: 'cut'; readonly afterWords: number }
  /** Sends one `data:` line that is not JSON, followed by the rest of a valid answer. */
  | { readonly fault: 'garbage-line'; readonly afterWords: number }
  /** Sends an unterminated `data:` line of `sizeBytes`. */
  | { readonly fault: 'huge-line'; readonly sizeBytes: number }
  /** Sends a web page with status 200. */
  | { readonly fault: 'html' }
  /** Sends an error inside the stream, in the wire format. */
  | {
      readonly fault: 'error-event'
      readonly afterWords: number
      readonly kind: 'overloaded' | 'rate-limit' | 'invalid-request' | 'authentication'
    }

/** Steps that the server performs in order. The last step is `end`, `cut` or `hang`. */
export type Step =
  | { readonly kind: 'head'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'write'; readonly bytes: Buffer }
  | { readonly kind: 'wait'; readonly delayMs: number }
  /** Writes one unterminated line of this many bytes, as fast as the client reads. */
  | { readonly kind: 'flood'; readonly sizeBytes: number }
  | { readonly kind: 'end' | 'cut' | 'hang' }

/** A reply that is prerendered for benchmarks, or rendered step by step. */
export interface PreparedReply {
  readonly steps: Iterable<Step>
}

export type ModelReply = ScriptedAnswer | ScriptedFault | PreparedReply

/** The parts of a request that a reply can depend on. */
export interface ModelServerRequest {
  readonly wire: Wire
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The parsed body. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Whether a request is the analysis of an ended conversation, which arrives independently of turns. */
export function isAnalysisRequest({ body }: Pick<ModelServerRequest, 'body'>): boolean {
  return JSON.stringify(body.tools ?? []).includes('report_analysis')
}

/** Returns the text of the last user message, or an empty string. */
export function findLastUserText(request: ModelServerRequest): string {
  const messages = Array.isArray(request.body.messages) ? (request.body.messages as unknown[]) : []
  const lastMessage = messages.findLast((message) => isRecord(message) && message.role === 'user')
  const content = isRecord(lastMessage) ? lastMessage.content : ''
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content) ? (content as unknown[]) : []
  return blocks.map((block) => (isRecord(block) && typeof block.text === 'string' ? block.text : '')).join('')
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
