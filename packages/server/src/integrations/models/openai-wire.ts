import type { Clock, JsonObject, LanguageModel, ModelMessage, ModelRequest } from '@parley/engine/ports'
import type { Dispatcher } from 'undici'
import { createOpenAiReader } from './openai-reader.ts'
import { argumentsObject } from './unknown-json.ts'
import { joinUrl, streamWire, type WireTarget } from './wire-client.ts'

/** One model behind one provider. */
export interface WireModelOptions {
  /** `provider/model`, shown in usage; what follows the first slash is the provider's own name of the model. */
  readonly name: string
  /** The provider's own name of the model. */
  readonly model: string
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly http: Dispatcher
  readonly clock: Clock
  readonly contextTokens?: number | undefined
}

/** A model that speaks the chat-completions wire: OpenAI and every server compatible with it. */
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
        createBody: () => JSON.stringify(bodyOf(model, request)),
        reader: createOpenAiReader(apiKey),
        signal: request.signal,
      }),
  }
}

function bodyOf(model: string, request: ModelRequest): JsonObject {
  const { messages, tools, toolChoice, temperature, maxTokens } = request
  // Reasoning models of this family refuse a temperature and know the limit only by its newer name; compatible servers
  // often know only the older one.
  const reasons = /^(?:o\d|gpt-5(?!-chat))/.test(model)
  return {
    model,
    messages: joinFirstSystems(messages).map(messageOf),
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })), tool_choice: toolChoice }),
    ...(temperature === undefined || reasons ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { [reasons ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
  }
}

/** Templates of some servers know one system message, at the beginning. */
function joinFirstSystems(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const end = messages.findIndex(({ role }) => role !== 'system')
  const systems = messages.slice(0, end === -1 ? messages.length : end)
  if (systems.length < 2) return messages
  const content = systems.map((message) => message.content).join('\n\n')
  return [{ role: 'system', content }, ...messages.slice(systems.length)]
}

function messageOf(message: ModelMessage): JsonObject {
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
        function: { name: call.name, arguments: JSON.stringify(argumentsObject(call.argumentsText)) },
      }))
      return { role: 'assistant', content: message.content === '' ? null : message.content, tool_calls: toolCalls }
    }
  }
}
