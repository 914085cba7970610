import type {
  Clock,
  JsonObject,
  LanguageModel,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelUsage,
} from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import { joinUrl } from '../vendor-exchange.ts'
import { createToolCallParts, type ToolCallParts } from './tool-call-parts.ts'
import { parseArguments, parseJson, toCount, toObject, toText } from './unknown-json.ts'
import { streamWire, type WireProgress, type WireReader, type WireTarget } from './wire-client.ts'
import { createProtocolFailure, toVendorFailure } from './wire-failure.ts'

/** Settings of one model of a vendor. */
export interface WireModelOptions {
  /** `provider/model`, displayed in usage. */
  readonly name: string
  /** Model name at the vendor. */
  readonly model: string
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly http: Dispatcher
  readonly clock: Clock
  readonly contextTokens?: number | undefined
}

/** Creates a model that uses the Chat Completions API of OpenAI and compatible servers. */
export function createOpenAiModel(options: WireModelOptions): LanguageModel {
  const { name, model, baseUrl, apiKey, http, clock, contextTokens } = options
  const target: WireTarget = {
    http,
    clock,
    url: joinUrl(baseUrl, '/chat/completions'),
    secret: apiKey,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
  }
  return {
    name,
    contextTokens,
    stream: (request) =>
      streamWire(target, {
        createBody: () => JSON.stringify(buildRequestBody(model, request)),
        reader: createOpenAiReader(apiKey),
        signal: request.signal,
      }),
  }
}

function buildRequestBody(model: string, request: ModelRequest): JsonObject {
  const { messages, tools, toolChoice, temperature, maxTokens } = request
  // Reasoning models of this family reject a temperature and use the newer name of the limit. Compatible servers often support
  // only the older name.
  const isReasoningModel = /^(?:o\d|gpt-5(?!-chat))/.test(model)
  return {
    model,
    messages: joinLeadingSystemMessages(messages).map(toWireMessage),
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })), tool_choice: toolChoice }),
    ...(temperature === undefined || isReasoningModel ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { [isReasoningModel ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
  }
}

/** Joins the first system messages. Chat templates of some servers support only one system message, at the start. */
function joinLeadingSystemMessages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const firstOtherIndex = messages.findIndex(({ role }) => role !== 'system')
  const systemMessages = messages.slice(0, firstOtherIndex === -1 ? messages.length : firstOtherIndex)
  if (systemMessages.length < 2) return messages
  const content = systemMessages.map((message) => message.content).join('\n\n')
  return [{ role: 'system', content }, ...messages.slice(systemMessages.length)]
}

function toWireMessage(message: ModelMessage): JsonObject {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content }
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
    case 'assistant': {
      if (message.toolCalls.length === 0) return { role: 'assistant', content: message.content }
      const toolCalls = message.toolCalls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: JSON.stringify(parseArguments(call.argumentsText)) },
      }))
      return { role: 'assistant', content: message.content === '' ? null : message.content, tool_calls: toolCalls }
    }
  }
}

type FinishReason = Extract<ModelEvent, { type: 'finish' }>['reason']
type Fields = Readonly<Record<string, unknown>>

/** Creates a reader for the chunks of a chat completion. Uses only the first choice. Failures never contain `secret`. */
function createOpenAiReader(secret: string | undefined): WireReader {
  const calls = createToolCallParts()
  let usage: ModelUsage | null = null
  let stopReason: FinishReason | null = null
  let isRefused = false
  let hasToolCalls = false

  function takeCalls(push: (event: ModelEvent) => void): boolean {
    // A filtered or truncated response can end in the middle of a call.
    const isTruncated = stopReason === 'length' || stopReason === 'refusal'
    const completedCalls = calls.takeCalls(isTruncated)
    if (completedCalls === null) return false
    hasToolCalls = completedCalls.length > 0
    for (const call of completedCalls) push({ type: 'tool-call', call })
    return true
  }

  function readChoice(choice: Fields, push: (event: ModelEvent) => void): WireProgress {
    const delta = toObject(choice.delta)
    if (delta !== null && stopReason === null) {
      const text = toText(delta.content)
      if (text !== '') push({ type: 'text-delta', text })
      const refusal = toText(delta.refusal)
      if (refusal !== '') {
        isRefused = true
        push({ type: 'text-delta', text: refusal })
      }
      if (Array.isArray(delta.tool_calls)) {
        for (const toolCall of delta.tool_calls) {
          if (!addToolCall(calls, toolCall))
            return createProtocolFailure('The provider sent too many or too long tool calls.')
        }
      }
    }
    const finishReason = toText(choice.finish_reason)
    if (finishReason === '' || stopReason !== null) return stopReason === null ? 'streaming' : 'answered'
    if (finishReason === 'error') return toVendorFailure(choice.error, secret)
    stopReason = toFinishReason(finishReason)
    return takeCalls(push) ? 'answered' : createProtocolFailure('The provider sent a tool call without a name.')
  }

  return {
    read({ data }, push) {
      if (data === '[DONE]') {
        if (stopReason !== null) return 'done'
        stopReason = 'stop'
        return takeCalls(push) ? 'done' : createProtocolFailure('The provider sent a tool call without a name.')
      }
      const chunk = toObject(parseJson(data))
      if (chunk === null) return createProtocolFailure('The provider sent a line that is not a JSON object.')
      if (chunk.error !== undefined && chunk.error !== null) return toVendorFailure(chunk.error, secret)
      usage = toUsage(chunk.usage) ?? usage
      const choice = toObject(Array.isArray(chunk.choices) ? chunk.choices[0] : undefined)
      if (choice === null || (choice.index ?? 0) !== 0) return stopReason === null ? 'streaming' : 'answered'
      return readChoice(choice, push)
    },
    finish() {
      if (isRefused) return { type: 'finish', reason: 'refusal', usage }
      // Several compatible servers report `stop` after tool calls.
      if (hasToolCalls && stopReason !== 'length') return { type: 'finish', reason: 'tool-calls', usage }
      return { type: 'finish', reason: stopReason === 'tool-calls' ? 'stop' : (stopReason ?? 'stop'), usage }
    },
  }
}

function addToolCall(calls: ToolCallParts, toolCall: unknown): boolean {
  const fields = toObject(toolCall)
  if (fields === null) return true
  const id = toText(fields.id)
  const declaredIndex = toCount(fields.index)
  // Some servers give every complete call the index 0, so a different id at the same index starts another call.
  const isNewCall =
    declaredIndex !== null && id !== '' && calls.getId(declaredIndex) !== '' && calls.getId(declaredIndex) !== id
  const index = declaredIndex === null || isNewCall ? calls.findIndex(id) : declaredIndex
  const calledFunction = toObject(fields.function)
  const declaredArguments = calledFunction?.arguments
  const argumentsText =
    typeof declaredArguments === 'object' && declaredArguments !== null
      ? JSON.stringify(declaredArguments)
      : toText(declaredArguments)
  return calls.add(index, { id, name: toText(calledFunction?.name), argumentsText })
}

function toFinishReason(finishReason: string): FinishReason {
  switch (finishReason) {
    case 'length':
    case 'max_tokens':
      return 'length'
    case 'content_filter':
    case 'refusal':
      return 'refusal'
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls'
    default:
      return 'stop'
  }
}

function toUsage(value: unknown): ModelUsage | null {
  const usage = toObject(value)
  const inputTokens = toCount(usage?.prompt_tokens)
  const outputTokens = toCount(usage?.completion_tokens)
  if (usage === null || inputTokens === null || outputTokens === null) return null
  const cachedTokens = toCount(toObject(usage.prompt_tokens_details)?.cached_tokens) ?? 0
  return { inputTokens, outputTokens, cachedInputTokens: Math.min(cachedTokens, inputTokens) }
}
