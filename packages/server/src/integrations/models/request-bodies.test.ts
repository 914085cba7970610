import type { ModelMessage, ModelRequest, ModelTool } from '@parley/engine/ports'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../../../../../testing/model-server/model-server.ts'
import type { Wire } from '../../../../../testing/model-server/reply.ts'
import { createModelDispatcher } from './model-dispatcher.ts'
import { buildRequest, collect, createTestClock, createTestModel, TEST_KEY, WIRES } from './model-test-kit.ts'

const http = createModelDispatcher()
const clock = createTestClock()
let server: ModelServer

beforeAll(async () => {
  server = await startModelServer()
})
afterAll(async () => {
  await http.close()
  await server.close()
})

const TOOLS: readonly ModelTool[] = [
  {
    name: 'book',
    description: 'Books a table.',
    parameters: { type: 'object', properties: { seats: { type: 'integer' } } },
  },
]

/**
 * A history in which the agent starts, calls two tools (one with invalid arguments), and the user sends two messages.
 */
const HISTORY: readonly ModelMessage[] = [
  { role: 'system', content: 'You are a waiter.' },
  { role: 'system', content: 'Open from six.' },
  { role: 'assistant', content: 'Good evening!', toolCalls: [] },
  { role: 'user', content: 'A table, please.' },
  { role: 'user', content: 'For two.' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [
      { id: 'tool:1', name: 'book', argumentsText: '{"seats":2}' },
      { id: 'tool:2', name: 'book', argumentsText: '{"seats":' },
    ],
  },
  { role: 'tool', toolCallId: 'tool:1', name: 'book', content: 'done' },
  { role: 'tool', toolCallId: 'tool:2', name: 'book', content: 'invalid arguments' },
  { role: 'user', content: 'And?' },
]

async function captureRequest(wire: Wire, overrides: Partial<ModelRequest>, model = 'test-model') {
  const events = await collect(
    createTestModel(wire, { http, clock, url: server.url, model }).stream(buildRequest(overrides)),
  )
  expect(events.at(-1)?.type).toBe('finish')
  const request = server.requests.at(-1)
  if (request === undefined) throw new Error('Nothing was sent.')
  return { body: request.body, headers: request.headers, path: request.path }
}

test('sends messages, tools and limits in the Chat Completions format', async () => {
  const { body, headers, path } = await captureRequest('openai', {
    messages: HISTORY,
    tools: TOOLS,
    toolChoice: 'required',
    temperature: 0.3,
    maxTokens: 50,
  })
  expect(path).toBe('/v1/chat/completions')
  expect(headers.authorization).toBe(`Bearer ${TEST_KEY}`)
  expect(body).toMatchObject({
    model: 'test-model',
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: TOOLS[0] }],
    tool_choice: 'required',
    temperature: 0.3,
    max_tokens: 50,
  })
  const messages = body.messages as unknown[]
  // Templates of some servers support only one system message.
  expect(messages[0]).toEqual({ role: 'system', content: 'You are a waiter.\n\nOpen from six.' })
  expect(messages[4]).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'tool:1', type: 'function', function: { name: 'book', arguments: '{"seats":2}' } },
      {
        id: 'tool:2',
        type: 'function',
        function: { name: 'book', arguments: '{"invalid_arguments":"{\\"seats\\":"}' },
      },
    ],
  })
  expect(messages[5]).toEqual({ role: 'tool', tool_call_id: 'tool:1', content: 'done' })
})

test('sends reasoning models the newer limit and no temperature', async () => {
  const { body } = await captureRequest('openai', { temperature: 0.3, maxTokens: 50 }, 'o4-mini')
  expect(body).toMatchObject({ max_completion_tokens: 50 })
  expect(Object.keys(body)).not.toContain('temperature')
  expect(Object.keys(body)).not.toContain('max_tokens')
})

test('sends system blocks, merged turns and tool results first in the Messages format', async () => {
  const { body, headers, path } = await captureRequest('anthropic', {
    messages: HISTORY,
    tools: TOOLS,
    toolChoice: 'required',
    temperature: 1.4,
  })
  expect(path).toBe('/v1/messages')
  expect(headers).toMatchObject({ 'x-api-key': TEST_KEY, 'anthropic-version': '2023-06-01' })
  expect(body).toEqual({
    model: 'test-model',
    max_tokens: 4096,
    stream: true,
    temperature: 1,
    system: [
      { type: 'text', text: 'You are a waiter.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Open from six.' },
    ],
    tools: [{ name: 'book', description: 'Books a table.', input_schema: TOOLS[0]?.parameters }],
    tool_choice: { type: 'any' },
    messages: [
      { role: 'user', content: [{ type: 'text', text: '(The conversation begins.)' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Good evening!' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'A table, please.' },
          { type: 'text', text: 'For two.' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'tool_1', name: 'book', input: { seats: 2 } },
          { type: 'tool_use', id: 'tool_2', name: 'book', input: { invalid_arguments: '{"seats":' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'tool_1', content: 'done' },
          { type: 'tool_result', tool_use_id: 'tool_2', content: 'invalid arguments' },
          { type: 'text', text: 'And?' },
        ],
      },
    ],
  })
})

test('accepts agent messages at both ends, blank messages and missing tools in the Messages format', async () => {
  const system: ModelMessage = { role: 'system', content: 'Be kind.' }
  expect((await captureRequest('anthropic', { messages: [system] })).body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: '(The conversation begins.)' }] },
  ])
  const agentLast: ModelMessage[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello ', toolCalls: [] },
    { role: 'user', content: '  ' },
  ]
  expect((await captureRequest('anthropic', { messages: agentLast })).body.messages).toHaveLength(3)
  const { body } = await captureRequest('anthropic', { messages: HISTORY })
  expect(body).toMatchObject({ tools: [{ name: 'book' }], tool_choice: { type: 'none' } })
})

test.each(WIRES)('omits optional fields that are not set in the %s format', async (wire) => {
  const { body } = await captureRequest(wire, {})
  for (const field of ['tools', 'tool_choice', 'temperature']) expect(Object.keys(body)).not.toContain(field)
})
