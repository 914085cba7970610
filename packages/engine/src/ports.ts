/**
 * What the engine needs from the outside world. Adapters live at the server's edges; tests use the doubles of `testing/`.
 * Everything here is an interface or a plain value: no vendor, no database, no clock of its own.
 */

import type { IdPrefix } from '@parley/contract/ids'

/** Time and timers. The real one is the system's; tests drive a manual one. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Runs `callback` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

/** Makes ids of the form `<prefix>_<26 lowercase hex>`. */
export type MakeId = (prefix: IdPrefix) => string

/** Returns a number in [0, 1). */
export type Random = () => number

/** A tool call as a model asks for it. `argumentsText` is what the model wrote, valid JSON or not. */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  readonly argumentsText: string
}

/** One message of a model's context. Tool results answer the call whose id they carry. */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly name: string; readonly content: string }

/** A tool as it is offered to a model; `parameters` is a JSON Schema of type object. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** One generation. Absent numbers leave the provider's default. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly toolChoice: 'auto' | 'none' | 'required'
  readonly temperature?: number | undefined
  readonly maxTokens?: number | undefined
  /** Aborting closes the upstream connection at once; the stream then ends without a further event. */
  readonly signal: AbortSignal
}

/** Tokens that a provider reports. `cachedInputTokens` are part of `inputTokens`. */
export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
}

/** Why a model could not answer. `retryable` means that the same request may succeed later or elsewhere. */
export interface ModelFailure {
  readonly kind: 'rate-limited' | 'timeout' | 'unavailable' | 'rejected' | 'unauthorized' | 'protocol'
  /** A sentence for operators: no secret, no prompt text, no personal data. */
  readonly message: string
  readonly retryable: boolean
  /** How long the provider asked to wait, when it did. */
  readonly retryAfterMs?: number | undefined
}

/**
 * What a model streams. Text arrives in order; a tool call is given once, complete; the last event is exactly one `finish`
 * or one `error` (nothing after an abort).
 */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  | {
      readonly type: 'finish'
      readonly reason: 'stop' | 'tool-calls' | 'length' | 'refusal'
      readonly usage: ModelUsage | null
    }
  | { readonly type: 'error'; readonly failure: ModelFailure }

/** A language model. `stream` never throws: failures are `error` events. */
export interface LanguageModel {
  /** `provider/model`, as used for prices and shown in usage. */
  readonly name: string
  /** Size of the context window in tokens, when known; history is trimmed to it. */
  readonly contextTokens?: number | undefined
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

/** Finds the model behind a configured name; `null` when no configured provider serves it. */
export type ResolveModel = (name: string) => LanguageModel | null

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** A custom HTTP tool, rendered: variables are already substituted in url, headers and query parameters. */
export interface HttpToolCall {
  /** Ours, stable over retries; sent as `Idempotency-Key`. */
  readonly toolCallId: string
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly queryParams: Readonly<Record<string, string>>
  readonly args: JsonObject
  /** `json` sends a JSON body, `form` an urlencoded one. GET and DELETE send query parameters only. */
  readonly parameterType: 'json' | 'form'
  /** true: the body is the bare args; false: `{name, chat|call, args}`. */
  readonly argsAtRoot: boolean
  /** What the body names beside the args: `{chat: {...}}` or `{call: {...}}`. */
  readonly conversation: JsonObject
  readonly timeoutMs: number
  readonly maxRetry: number
  readonly signal: AbortSignal
}

/** What came of a tool call. Failures are results that the model sees, never exceptions. */
export type HttpToolOutcome =
  | { readonly ok: true; readonly status: number; readonly bodyText: string; readonly durationMs: number }
  | {
      readonly ok: false
      readonly reason: 'timeout' | 'blocked-target' | 'network' | 'http-status' | 'too-large' | 'cancelled'
      readonly status: number | null
      /** A sentence for the model and the customer: no secret, no internal address. */
      readonly message: string
      readonly durationMs: number
    }

/** Sends custom HTTP tools. Signs, retries, limits size and time, guards the target. Never rejects. */
export interface HttpToolClient {
  call(call: HttpToolCall): Promise<HttpToolOutcome>
}
