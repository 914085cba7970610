/** Interfaces to the outside world. The server implements them, and tests use the doubles in `testing/`. */

import type { IdPrefix } from '@parley/contract/ids'
import type { Passage, SearchMode } from '@parley/contract/knowledge-passage'
import type { WeightedText } from '@parley/retrieval/lexical/query-words'

/** Time and timers of this process. Tests use a manual clock. */
export interface Clock {
  /** Prevents mixing up this type with clocks that several nodes share. */
  readonly scope?: 'process'
  /** Returns the milliseconds since the Unix epoch. */
  now(): number
  /** Runs `callback` once after `delayMs`. The returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

/** Creates IDs of the form `<prefix>_<26 lowercase hex>`. */
export type MakeId = (prefix: IdPrefix) => string

/** Returns a random number in [0, 1). */
export type Random = () => number

/** A tool call that a model requests. `argumentsText` is the model's raw output and may be invalid JSON. */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  readonly argumentsText: string
}

/** A message in a model's context. A tool result references its call by ID. */
export type ModelMessage =
  /** `passages` lists the passages that the content quotes, for models that read them as data. */
  | { readonly role: 'system'; readonly content: string; readonly passages?: readonly Passage[] }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly name: string; readonly content: string }

/** A tool offered to a model. `parameters` is a JSON Schema of type object. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** The request for one generation. Omitted numbers use the vendor's default. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly toolChoice: 'auto' | 'none' | 'required'
  readonly temperature?: number | undefined
  readonly maxTokens?: number | undefined
  /** Closes the upstream connection when aborted. The stream then ends without another event. */
  readonly signal: AbortSignal
}

/** The vendor's token counts. `inputTokens` includes `cachedInputTokens`. */
export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
}

/** Describes why a model failed. `retryable` means that the request may succeed later or with another model. */
export interface ModelFailure {
  readonly kind: 'rate-limited' | 'timeout' | 'unavailable' | 'rejected' | 'unauthorized' | 'protocol'
  /** A sentence for operators, without secrets, prompt text or personal data. */
  readonly message: string
  readonly retryable: boolean
  /** Delay before a retry, as requested by the vendor. */
  readonly retryAfterMs?: number | undefined
}

/**
 * Events that a model streams: text in order, each complete tool call once, and exactly one `finish` or `error` at the end
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
  /** Name in the form `vendor/model`, used for prices and displayed in usage. */
  readonly name: string
  /** Context window in tokens, if known. The history is trimmed to fit. */
  readonly contextTokens?: number | undefined
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

/** Finds the model for a configured name, or returns `null` if no configured vendor serves it. */
export type ResolveModel = (name: string) => LanguageModel | null

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** A call to a custom HTTP tool. The URL, headers and query parameters are already rendered. */
export interface HttpToolCall {
  /** Engine-assigned ID, identical for all retries and sent as `Idempotency-Key`. */
  readonly toolCallId: string
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly queryParams: Readonly<Record<string, string>>
  readonly args: JsonObject
  /**
   * Whether the body contains only the arguments. Otherwise, the body is `{name, chat|call, args}`. GET and DELETE send only
   * query parameters.
   */
  readonly argsAtRoot: boolean
  /** Conversation details in the body: `{chat: {...}}` or `{call: {...}}`. */
  readonly conversation: JsonObject
  readonly timeoutMs: number
  readonly maxRetry: number
  readonly signal: AbortSignal
}

/** The outcome of a tool call. Failures are results that the model receives, never exceptions. */
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

/** Sends requests to custom HTTP tools. Signs, retries and limits them, and blocks unsafe targets. Never rejects. */
export interface HttpToolClient {
  call(call: HttpToolCall): Promise<HttpToolOutcome>
}

/** JavaScript code from a `code` tool or node, to run in the sandbox. */
export interface CodeRun {
  /** Function body that reads `dv` and `metadata`, may use `await`, and returns the result. */
  readonly code: string
  /** Current dynamic variables, available as `dv`. */
  readonly variables: Readonly<Record<string, string>>
  /** Metadata that the customer stored with the conversation, available as `metadata`. */
  readonly metadata: JsonObject
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The outcome of running code. Failures are results that the model receives, never exceptions. */
export type CodeOutcome =
  /** `resultText` is JSON or the returned string, or `''` if the code returned nothing. */
  | { readonly ok: true; readonly resultText: string; readonly durationMs: number }
  | {
      readonly ok: false
      readonly reason: 'error' | 'timeout' | 'memory' | 'too-large' | 'cancelled' | 'unavailable'
      /** A sentence for the model and the customer. For `error`, it contains the name, message and line in the code. */
      readonly message: string
      readonly durationMs: number
    }

/** Runs code in a sandbox without network access and limits its time, memory and size. Never rejects. */
export interface CodeRunner {
  run(run: CodeRun): Promise<CodeOutcome>
}

/** An agent's MCP server, with variables already substituted. */
export interface McpServer {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly queryParams: Readonly<Record<string, string>>
  /** Timeout per request. */
  readonly timeoutMs: number
}

/** A tool that an MCP server lists. */
export interface McpToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of type object. */
  readonly inputSchema: JsonObject
}

/** Describes why a request to an MCP server failed. */
export interface McpFailure {
  readonly ok: false
  readonly reason: 'timeout' | 'blocked-target' | 'network' | 'protocol' | 'tool-error' | 'too-large' | 'cancelled'
  /** A sentence for the model and the customer, without secrets or internal addresses. */
  readonly message: string
  readonly durationMs: number
}

/** A call to an MCP tool. */
export interface McpCall {
  readonly server: McpServer
  /** The tool's name on the server. */
  readonly toolName: string
  readonly args: JsonObject
  readonly signal: AbortSignal
}

/** Client for MCP servers. Blocks unsafe targets and limits size and time. Never rejects. */
export interface McpClient {
  listTools(
    server: McpServer,
    signal: AbortSignal,
  ): Promise<
    { readonly ok: true; readonly tools: readonly McpToolDescription[]; readonly durationMs: number } | McpFailure
  >
  /** Calls a tool. `bodyText` is the structured content as JSON if present, otherwise the joined text parts. */
  call(
    call: McpCall,
  ): Promise<{ readonly ok: true; readonly bodyText: string; readonly durationMs: number } | McpFailure>
}

/** A request to a customer's language model server. */
export interface CustomLlmRequest {
  /** Appended to the URL, because the server keeps one connection per conversation. */
  readonly conversationId: string
  readonly url: string
  /** `opening`: the server speaks first. `reminder`: the user has been silent. */
  readonly requestType: 'answer' | 'opening' | 'reminder'
  /** Messages, oldest first. The server answers the last message. */
  readonly transcript: readonly { readonly role: 'agent' | 'user'; readonly content: string }[]
  /** Conversation details, sent if the server requests them. */
  readonly conversation: JsonObject
  readonly deadlines: { readonly firstTokenMs: number; readonly idleMs: number; readonly totalMs: number }
  readonly signal: AbortSignal
}

/** Events that a custom LLM server streams, with exactly one `complete` or `failed` at the end (nothing after an abort). */
export type CustomLlmEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  /** Records a tool that the server itself called. */
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  | { readonly type: 'tool-result'; readonly toolCallId: string; readonly content: string }
  | { readonly type: 'complete'; readonly endCall: boolean }
  | { readonly type: 'failed'; readonly failure: ModelFailure }

/** Client for customers' language model servers over WebSocket. Blocks unsafe targets. `respond` never throws. */
export interface CustomLlmClient {
  respond(request: CustomLlmRequest): AsyncIterable<CustomLlmEvent>
}

/** Reads a workspace's secrets by name. Only tool requests may use them. */
export interface SecretReader {
  /** Returns values by name, omitting unknown names. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** A text message to the other party. */
export interface OutgoingSms {
  /** The other party's number, or `null` if unknown. */
  readonly toNumber: string | null
  readonly text: string
}

/** Whether a text message was sent. The message is stored with the conversation in both cases. */
export interface SmsOutcome {
  readonly status: 'sent' | 'unsent'
  /** A sentence that explains why the message was not sent, or `null` if it was sent. */
  readonly reason: string | null
}

/** Sends text messages through the workspace's carrier. Never rejects. */
export interface SmsSender {
  send(message: OutgoingSms): Promise<SmsOutcome>
}

/** A search in knowledge bases. */
export interface KnowledgeRequest {
  readonly knowledgeBaseIds: readonly string[]
  /** The query, newest text first. */
  readonly query: readonly WeightedText[]
  /** Maximum number of passages. */
  readonly topK: number
  /** Minimum relevance of a passage, from 0 to 1. */
  readonly filterScore: number
  readonly signal: AbortSignal
}

/** The outcome of a search. After a failure, the model answers without passages and the turn continues. */
export type KnowledgeOutcome =
  | {
      readonly ok: true
      /** Passages, best first. */
      readonly passages: readonly Passage[]
      readonly mode: SearchMode
      /** IDs of deleted knowledge bases. */
      readonly missing: readonly string[]
    }
  /** `message` is a sentence for the agent's builder. */
  | { readonly ok: false; readonly message: string }

/** Searches a workspace's knowledge bases. Never rejects. */
export interface KnowledgeSearch {
  search(request: KnowledgeRequest): Promise<KnowledgeOutcome>
}
