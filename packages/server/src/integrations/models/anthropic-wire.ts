import type {
  JsonObject,
  LanguageModel,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelUsage,
} from '@parley/engine/ports'
import { joinUrl } from '../vendor-exchange.ts'
import type { WireModelOptions } from './openai-wire.ts'
import { createToolCallParts } from './tool-call-parts.ts'
import { parseArguments, parseJson, toCount, toObject, toText } from './unknown-json.ts'
import { streamWire, type WireProgress, type WireReader, type WireTarget } from './wire-client.ts'
import { createProtocolFailure, toVendorFailure } from './wire-failure.ts'

/** Pinned version of the API. */
const API_VERSION = '2023-06-01'
/** The API requires a limit. All Claude models support this limit. */
const DEFAULT_MAX_TOKENS = 4096
/** Placeholders for conversations that start or end with the agent, because the API requires user turns at both ends. */
const OPENING_TEXT = '(The conversation begins.)'
const CONTINUE_TEXT = '(Continue.)'

/** Creates a model that uses the Messages API. `baseUrl` can end in `/v1`. */
export function createAnthropicModel(options: WireModelOptions): LanguageModel {
  const { name, model, baseUrl, apiKey, http, clock, contextTokens } = options
  const target: WireTarget = {
    http,
    clock,
    url: joinUrl(baseUrl, /\/v1\/*$/.test(new URL(baseUrl).pathname) ? '/messages' : '/v1/messages'),
    secret: apiKey,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'anthropic-version': API_VERSION,
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    },
  }
  return {
    name,
    contextTokens,
    stream: (request) =>
      streamWire(target, {
        createBody: () => JSON.stringify(buildRequestBody(model, request)),
        reader: createAnthropicReader(apiKey),
        signal: request.signal,
      }),
  }
}

function buildRequestBody(model: string, request: ModelRequest): JsonObject {
  const { messages, tools, temperature, maxTokens } = request
  const systemMessages = messages.filter((message) => message.role === 'system' && message.content.trim() !== '')
  const availableTools = tools.length > 0 ? tools.map(toAnthropicTool) : buildHistoryTools(messages)
  return {
    model,
    max_tokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    stream: true,
    ...(systemMessages.length === 0
      ? {}
      : { system: systemMessages.map((message, index) => buildSystemBlock(message.content, index === 0)) }),
    messages: buildTurns(messages),
    ...(availableTools.length === 0 ? {} : { tools: availableTools, tool_choice: toToolChoice(request) }),
    // The API's maximum temperature is 1.
    ...(temperature === undefined ? {} : { temperature: Math.min(1, temperature) }),
  }
}

/**
 * Converts a system message into a block. The first block is the agent's prompt, which is the same in every turn, so it is
 * cached together with the tools.
 */
function buildSystemBlock(text: string, isFirst: boolean): JsonObject {
  return { type: 'text', text, ...(isFirst ? { cache_control: { type: 'ephemeral' } } : {}) }
}

function toAnthropicTool(tool: ModelTool): JsonObject {
  return { name: tool.name, description: tool.description, input_schema: tool.parameters }
}

/** Builds minimal definitions of the tools in the history, because the API rejects tool calls without definitions. */
function buildHistoryTools(messages: readonly ModelMessage[]): JsonObject[] {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []))
  const names = new Set(calls.map((call) => call.name))
  return [...names].map((name) => ({ name, description: 'Not available now.', input_schema: { type: 'object' } }))
}

function toToolChoice({ tools, toolChoice }: ModelRequest): JsonObject {
  if (tools.length === 0 || toolChoice === 'none') return { type: 'none' }
  return { type: toolChoice === 'required' ? 'any' : 'auto' }
}

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: JsonObject[]
}

/**
 * Converts messages into alternating turns that start and end with the user. Merges adjacent turns of one role and drops blank
 * texts.
 */
function buildTurns(messages: readonly ModelMessage[]): JsonObject[] {
  const turns: Turn[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const blocks = toContentBlocks(message)
    if (blocks.length === 0) continue
    const lastTurn = turns.at(-1)
    if (lastTurn?.role === role) lastTurn.content.push(...blocks)
    else turns.push({ role, content: blocks })
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [{ type: 'text', text: OPENING_TEXT }] })
  if (turns.at(-1)?.role === 'assistant') turns.push({ role: 'user', content: [{ type: 'text', text: CONTINUE_TEXT }] })
  return turns.map(({ role, content }) => ({
    role,
    content: role === 'user' ? moveToolResultsToFront(content) : content,
  }))
}

/** Moves tool results to the front. The API requires them first in the turn that follows the tool calls. */
function moveToolResultsToFront(content: readonly JsonObject[]): JsonObject[] {
  const results = content.filter((block) => block.type === 'tool_result')
  return results.length === 0 ? [...content] : [...results, ...content.filter((block) => block.type !== 'tool_result')]
}

function toContentBlocks(message: Exclude<ModelMessage, { role: 'system' }>): JsonObject[] {
  if (message.role === 'tool') {
    return [{ type: 'tool_result', tool_use_id: toWireId(message.toolCallId), content: message.content }]
  }
  const text: JsonObject[] = message.content.trim() === '' ? [] : [{ type: 'text', text: message.content }]
  if (message.role === 'user') return text
  const calls = message.toolCalls.map((call) => ({
    type: 'tool_use',
    id: toWireId(call.id),
    name: call.name,
    input: parseArguments(call.argumentsText),
  }))
  return [...text, ...calls]
}

/** Replaces characters that the API does not allow in ids. */
function toWireId(id: string): string {
  return id.replace(/[^\w-]/g, '_') || '_'
}

type FinishReason = Extract<ModelEvent, { type: 'finish' }>['reason']
type Fields = Readonly<Record<string, unknown>>

/**
 * Creates a reader for the events of a message. Ignores thinking, pings and unknown blocks. Failures never contain `secret`.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one reader: a case for each kind of event.
function createAnthropicReader(secret: string | undefined): WireReader {
  const calls = createToolCallParts()
  const tokenCounts: Record<string, number> = {}
  let finishReason: FinishReason | null = null
  let hasToolCalls = false

  /** Updates usage. Reports are cumulative, so each field of a later report replaces the earlier value. */
  function updateUsage(value: unknown): void {
    for (const [field, count] of Object.entries(toObject(value) ?? {})) {
      const tokens = toCount(count)
      if (tokens !== null) tokenCounts[field] = tokens
    }
  }

  function readBlockStart(event: Fields, push: (event: ModelEvent) => void): WireProgress {
    const block = toObject(event.content_block)
    const text = block?.type === 'text' ? toText(block.text) : ''
    if (text !== '') push({ type: 'text-delta', text })
    if (block?.type !== 'tool_use') return 'streaming'
    const input = toObject(block.input)
    const argumentsText = input === null || Object.keys(input).length === 0 ? '' : JSON.stringify(input)
    const call = { id: toText(block.id), name: toText(block.name), argumentsText }
    return calls.add(toCount(event.index) ?? calls.size, call) ? 'streaming' : createToolCallLimitFailure()
  }

  function readBlockDelta(event: Fields, push: (event: ModelEvent) => void): WireProgress {
    const delta = toObject(event.delta)
    if (delta?.type === 'text_delta') {
      const text = toText(delta.text)
      if (text !== '') push({ type: 'text-delta', text })
      return 'streaming'
    }
    const index = toCount(event.index)
    // Server-side tools also stream their input, but the reader never opened their blocks.
    if (delta?.type !== 'input_json_delta' || index === null || !calls.has(index)) return 'streaming'
    return calls.add(index, { id: '', name: '', argumentsText: toText(delta.partial_json) })
      ? 'streaming'
      : createToolCallLimitFailure()
  }

  function finishResponse(stopReason: string, push: (event: ModelEvent) => void): WireProgress {
    if (finishReason !== null) return 'answered'
    finishReason = toFinishReason(stopReason)
    const completedCalls = calls.takeCalls(finishReason === 'length' || finishReason === 'refusal')
    if (completedCalls === null) return createProtocolFailure('The provider sent a tool call without a name.')
    hasToolCalls = completedCalls.length > 0
    for (const call of completedCalls) push({ type: 'tool-call', call })
    return 'answered'
  }

  return {
    read({ data }, push) {
      const event = toObject(parseJson(data))
      if (event === null) return createProtocolFailure('The provider sent a line that is not a JSON object.')
      switch (event.type) {
        case 'content_block_delta':
          return readBlockDelta(event, push)
        case 'content_block_start':
          return readBlockStart(event, push)
        case 'message_start':
          updateUsage(toObject(event.message)?.usage)
          return 'streaming'
        case 'message_delta': {
          updateUsage(event.usage)
          const stopReason = toText(toObject(event.delta)?.stop_reason)
          return stopReason === ''
            ? finishReason === null
              ? 'streaming'
              : 'answered'
            : finishResponse(stopReason, push)
        }
        case 'message_stop': {
          const progress = finishResponse('end_turn', push)
          return progress === 'answered' ? 'done' : progress
        }
        case 'error':
          return toVendorFailure(event.error, secret)
        default:
          return finishReason === null ? 'streaming' : 'answered'
      }
    },
    finish() {
      const usage = toUsage(tokenCounts)
      if (hasToolCalls && finishReason === 'stop') return { type: 'finish', reason: 'tool-calls', usage }
      return {
        type: 'finish',
        reason: finishReason === 'tool-calls' && !hasToolCalls ? 'stop' : (finishReason ?? 'stop'),
        usage,
      }
    },
  }
}

function createToolCallLimitFailure(): WireProgress {
  return createProtocolFailure('The provider sent too many or too long tool calls.')
}

function toFinishReason(stopReason: string): FinishReason {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'tool_use':
      return 'tool-calls'
    case 'refusal':
      return 'refusal'
    default:
      return 'stop'
  }
}

/**
 * Sums the token counts. The vendor counts cache reads and writes separately from `input_tokens`, while we include them in the
 * input.
 */
function toUsage(counts: Readonly<Record<string, number>>): ModelUsage | null {
  const {
    input_tokens: uncachedTokens,
    output_tokens: outputTokens,
    cache_read_input_tokens: cachedTokens = 0,
  } = counts
  if (uncachedTokens === undefined || outputTokens === undefined) return null
  const inputTokens = uncachedTokens + cachedTokens + (counts.cache_creation_input_tokens ?? 0)
  return { inputTokens, outputTokens, cachedInputTokens: cachedTokens }
}
