/**
 * What the engine needs from the outside world, as interfaces and plain values. The server's edges implement them; tests use
 * the doubles of `testing/`.
 */

import type { IdPrefix } from '@parley/contract/ids'
import type { Passage, SearchMode } from '@parley/contract/knowledge-passage'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'

/** Time and timers of this process. Tests drive a manual one. */
export interface Clock {
  /** Separates this type from clocks that several nodes share, so that neither is passed as the other. */
  readonly scope?: 'process'
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Runs `callback` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

/** Creates ids of the form `<prefix>_<26 lowercase hex>`. */
export type MakeId = (prefix: IdPrefix) => string

/** Returns a number in [0, 1). */
export type Random = () => number

/** A tool call that a model requests. `argumentsText` is the model's raw output and may be invalid JSON. */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  readonly argumentsText: string
}

/** One message of a model's context. A tool result carries the id of its call. */
export type ModelMessage =
  /** `passages`: the passages that the content quotes, for models that read them as data. */
  | { readonly role: 'system'; readonly content: string; readonly passages?: readonly Passage[] }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly name: string; readonly content: string }

/** A tool offered to a model; `parameters` is a JSON Schema of type object. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** One generation. Omitted numbers use the vendor's default. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly toolChoice: 'auto' | 'none' | 'required'
  readonly temperature?: number | undefined
  readonly maxTokens?: number | undefined
  /** Aborting closes the upstream connection; the stream then ends without another event. */
  readonly signal: AbortSignal
}

/** Token counts from the vendor. `cachedInputTokens` are included in `inputTokens`. */
export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
}

/** Why a model could not answer. `retryable`: the same request may succeed later or with another model. */
export interface ModelFailure {
  readonly kind: 'rate-limited' | 'timeout' | 'unavailable' | 'rejected' | 'unauthorized' | 'protocol'
  /** A sentence for operators, without secrets, prompt text or personal data. */
  readonly message: string
  readonly retryable: boolean
  /** The delay that the vendor asked for. */
  readonly retryAfterMs?: number | undefined
}

/**
 * Streamed by a model: text in order, each tool call once and complete, and exactly one `finish` or `error` at the end
 * (nothing after an abort).
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

/** A language model. `stream` never throws; failures are `error` events. */
export interface LanguageModel {
  /** `vendor/model`, used for prices and shown in usage. */
  readonly name: string
  /** Context window in tokens, if known; history is trimmed to it. */
  readonly contextTokens?: number | undefined
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

/** Finds the model for a configured name; `null` when no configured vendor serves it. */
export type ResolveModel = (name: string) => LanguageModel | null

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** A call of a custom HTTP tool. URL, headers and query parameters are already rendered. */
export interface HttpToolCall {
  /** Assigned by the engine and the same for all retries; sent as `Idempotency-Key`. */
  readonly toolCallId: string
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly queryParams: Readonly<Record<string, string>>
  readonly args: JsonObject
  /** true: the body is the bare args; false: `{name, chat|call, args}`. GET and DELETE send only query parameters. */
  readonly argsAtRoot: boolean
  /** Conversation details in the body: `{chat: {...}}` or `{call: {...}}`. */
  readonly conversation: JsonObject
  readonly timeoutMs: number
  readonly maxRetry: number
  readonly signal: AbortSignal
}

/** Result of a tool call. Failures are results that the model sees, never exceptions. */
export type HttpToolOutcome =
  | { readonly ok: true; readonly status: number; readonly bodyText: string; readonly durationMs: number }
  | {
      readonly ok: false
      readonly reason: 'timeout' | 'blocked-target' | 'network' | 'http-status' | 'too-large' | 'cancelled'
      readonly status: number | null
      /** A sentence for the model and the customer, without secrets or internal addresses. */
      readonly message: string
      readonly durationMs: number
    }

/** Sends requests of custom HTTP tools: signs, retries, limits size and time, guards the target. Never rejects. */
export interface HttpToolClient {
  call(call: HttpToolCall): Promise<HttpToolOutcome>
}

/** JavaScript of a `code` tool or node, for the sandbox. */
export interface CodeRun {
  /** Function body: reads `dv` and `metadata`, may `await`, returns the result. */
  readonly code: string
  /** Current dynamic variables: `dv`. */
  readonly variables: Readonly<Record<string, string>>
  /** Metadata that the customer stored with the conversation: `metadata`. */
  readonly metadata: JsonObject
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Result of running code. Failures are results that the model sees, never exceptions. */
export type CodeOutcome =
  /** `resultText` is JSON, or the returned string; `''` when the code returned nothing. */
  | { readonly ok: true; readonly resultText: string; readonly durationMs: number }
  | {
      readonly ok: false
      readonly reason: 'error' | 'timeout' | 'memory' | 'too-large' | 'cancelled' | 'unavailable'
      /** A sentence for the model and the customer; for `error`: name, message and line in the code. */
      readonly message: string
      readonly durationMs: number
    }

/** Runs code in a sandbox without network access and limits its time, memory and size. Never rejects. */
export interface CodeRunner {
  run(run: CodeRun): Promise<CodeOutcome>
}

/** An MCP server of an engine, with variables already substituted. */
export interface McpServer {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly queryParams: Readonly<Record<string, string>>
  /** Per request. */
  readonly timeoutMs: number
}

/** A tool that an MCP server lists. */
export interface McpToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of type object. */
  readonly inputSchema: JsonObject
}

/** Why a request to an MCP server failed. */
export interface McpFailure {
  readonly ok: false
  readonly reason: 'timeout' | 'blocked-target' | 'network' | 'protocol' | 'tool-error' | 'too-large' | 'cancelled'
  /** A sentence for the model and the customer, without secrets or internal addresses. */
  readonly message: string
  readonly durationMs: number
}

/** A call of an MCP tool. */
export interface McpCall {
  readonly server: McpServer
  /** The name that the server uses. */
  readonly toolName: string
  readonly args: JsonObject
  readonly signal: AbortSignal
}

/** Client for MCP servers. Guards the target, limits size and time. Never rejects. */
export interface McpClient {
  listTools(
    server: McpServer,
    signal: AbortSignal,
  ): Promise<
    { readonly ok: true; readonly tools: readonly McpToolDescription[]; readonly durationMs: number } | McpFailure
  >
  /** `bodyText`: the structured content as JSON if present, otherwise the joined text parts. */
  call(
    call: McpCall,
  ): Promise<{ readonly ok: true; readonly bodyText: string; readonly durationMs: number } | McpFailure>
}

/** One request to a customer's own language model server. */
export interface CustomLlmRequest {
  /** Appended to the URL; the server keeps one connection per conversation. */
  readonly conversationId: string
  readonly url: string
  /** `opening`: the server speaks first; `reminder`: the user has been silent. */
  readonly ask: 'answer' | 'opening' | 'reminder'
  /** Oldest first; the last message is the one to answer. */
  readonly transcript: readonly { readonly role: 'agent' | 'user'; readonly content: string }[]
  /** Conversation details, sent when the server requests them. */
  readonly conversation: JsonObject
  readonly deadlines: { readonly firstTokenMs: number; readonly idleMs: number; readonly totalMs: number }
  readonly signal: AbortSignal
}

/** Streamed by a custom LLM server; ends with exactly one `complete` or `failed` (nothing after an abort). */
export type CustomLlmEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  /** A tool that the server itself called, for the record. */
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  | { readonly type: 'tool-result'; readonly toolCallId: string; readonly content: string }
  | { readonly type: 'complete'; readonly endCall: boolean }
  | { readonly type: 'failed'; readonly failure: ModelFailure }

/** Client for customers' language model servers over WebSocket. Guards the target; `respond` never throws. */
export interface CustomLlmClient {
  respond(request: CustomLlmRequest): AsyncIterable<CustomLlmEvent>
}

/** Reads named secrets of a workspace, which are only used in requests of its tools. */
export interface SecretReader {
  /** Values by name, without entries for unknown names. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** A text message to the other party. */
export interface OutgoingSms {
  /** `null`: the other party's number is unknown. */
  readonly toNumber: string | null
  readonly text: string
}

/** Delivery result of a text message. The message is stored with the conversation either way. */
export interface SmsOutcome {
  readonly status: 'sent' | 'unsent'
  /** A sentence on why it was not sent; `null` when it was. */
  readonly reason: string | null
}

/** Sends text messages through the workspace's carrier. Never rejects. */
export interface SmsSender {
  send(message: OutgoingSms): Promise<SmsOutcome>
}

/** A search in knowledge bases. */
export interface KnowledgeRequest {
  readonly knowledgeBaseIds: readonly string[]
  /** Newest text first. */
  readonly query: readonly WeightedText[]
  /** Maximum number of passages. */
  readonly topK: number
  /** Minimum relevance of a passage, 0 to 1. */
  readonly filterScore: number
  readonly signal: AbortSignal
}

/** Result of a search. After a failure the model answers without passages; the turn goes on. */
export type KnowledgeOutcome =
  | {
      readonly ok: true
      /** Best first. */
      readonly passages: readonly Passage[]
      readonly mode: SearchMode
      /** Deleted knowledge bases. */
      readonly missing: readonly string[]
    }
  /** A sentence for the builder of the agent. */
  | { readonly ok: false; readonly message: string }

/** Searches the knowledge bases of a workspace. Never rejects. */
export interface KnowledgeSearch {
  search(request: KnowledgeRequest): Promise<KnowledgeOutcome>
}
