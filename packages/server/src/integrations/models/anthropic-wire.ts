import type { JsonObject, LanguageModel, ModelMessage, ModelRequest, ModelTool } from '@parley/engine/ports'
import { createAnthropicReader } from './anthropic-reader.ts'
import type { WireModelOptions } from './openai-wire.ts'
import { argumentsObject } from './unknown-json.ts'
import { joinUrl, streamWire, type WireTarget } from './wire-client.ts'

/** The version of the wire that is spoken here; the provider keeps it stable. */
const API_VERSION = '2023-06-01'
/** The wire requires a limit; every model of the family allows this one. */
const DEFAULT_MAX_TOKENS = 4096
/** Stand where the agent speaks first or last: this wire wants a user's turn at both ends. */
const OPENING_TEXT = '(The conversation begins.)'
const CONTINUE_TEXT = '(Continue.)'

/** A model that speaks the messages wire. `baseUrl` may end in `/v1` or not. */
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
        createBody: () => JSON.stringify(bodyOf(model, request)),
        reader: createAnthropicReader(apiKey),
        signal: request.signal,
      }),
  }
}

function bodyOf(model: string, request: ModelRequest): JsonObject {
  const { messages, tools, temperature, maxTokens } = request
  const system = messages.filter((message) => message.role === 'system' && message.content.trim() !== '')
  const offered = tools.length > 0 ? tools.map(toolOf) : toolsOfHistory(messages)
  return {
    model,
    max_tokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    stream: true,
    ...(system.length === 0
      ? {}
      : { system: system.map((message, index) => systemBlockOf(message.content, index === 0)) }),
    messages: turnsOf(messages),
    ...(offered.length === 0 ? {} : { tools: offered, tool_choice: toolChoiceOf(request) }),
    // The wire's range ends at 1.
    ...(temperature === undefined ? {} : { temperature: Math.min(1, temperature) }),
  }
}

/** The first block is the agent's prompt, the same in every turn: with the tools before it, it is cached. */
function systemBlockOf(text: string, isFirst: boolean): JsonObject {
  return { type: 'text', text, ...(isFirst ? { cache_control: { type: 'ephemeral' } } : {}) }
}

function toolOf(tool: ModelTool): JsonObject {
  return { name: tool.name, description: tool.description, input_schema: tool.parameters }
}

/** A history with tool calls is refused without their definitions; when none are offered, bare ones stand in. */
function toolsOfHistory(messages: readonly ModelMessage[]): JsonObject[] {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []))
  const names = new Set(calls.map((call) => call.name))
  return [...names].map((name) => ({ name, description: 'Not available now.', input_schema: { type: 'object' } }))
}

function toolChoiceOf({ tools, toolChoice }: ModelRequest): JsonObject {
  if (tools.length === 0 || toolChoice === 'none') return { type: 'none' }
  return { type: toolChoice === 'required' ? 'any' : 'auto' }
}

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: JsonObject[]
}

/** Alternating turns that begin and end with the user's; neighbours of one role are merged, blank text is left out. */
function turnsOf(messages: readonly ModelMessage[]): JsonObject[] {
  const turns: Turn[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const blocks = blocksOf(message)
    if (blocks.length === 0) continue
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else turns.push({ role, content: blocks })
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [{ type: 'text', text: OPENING_TEXT }] })
  if (turns.at(-1)?.role === 'assistant') turns.push({ role: 'user', content: [{ type: 'text', text: CONTINUE_TEXT }] })
  return turns.map(({ role, content }) => ({ role, content: role === 'user' ? resultsFirst(content) : content }))
}

/** Results must open the turn that follows their calls. */
function resultsFirst(content: readonly JsonObject[]): JsonObject[] {
  const results = content.filter((block) => block.type === 'tool_result')
  return results.length === 0 ? [...content] : [...results, ...content.filter((block) => block.type !== 'tool_result')]
}

function blocksOf(message: Exclude<ModelMessage, { role: 'system' }>): JsonObject[] {
  if (message.role === 'tool') {
    return [{ type: 'tool_result', tool_use_id: wireId(message.toolCallId), content: message.content }]
  }
  const text: JsonObject[] = message.content.trim() === '' ? [] : [{ type: 'text', text: message.content }]
  if (message.role === 'user') return text
  const calls = message.toolCalls.map((call) => ({
    type: 'tool_use',
    id: wireId(call.id),
    name: call.name,
    input: argumentsObject(call.argumentsText),
  }))
  return [...text, ...calls]
}

/** The wire allows only these characters in ids. */
function wireId(id: string): string {
  return id.replace(/[^\w-]/g, '_') || '_'
}
