import type { CustomTool, Tool } from '@parley/contract/tools'
import { describe, expect, test } from 'vitest'
import { createHttpOutcome, createScriptedHttpTools, playTurn, replyWith, runScenario } from '../testing/index.ts'
import type { HistoryMessage } from './conversation.ts'

const createEndpoint = (name: string, fields: Partial<CustomTool> = {}): CustomTool => ({
  type: 'custom',
  name,
  url: 'https://example.com',
  ...fields,
})
const tools: readonly Tool[] = [
  createEndpoint('get', { method: 'GET' }),
  createEndpoint('put', { method: 'PUT' }),
  createEndpoint('delete', { method: 'DELETE' }),
  createEndpoint('patch', { method: 'PATCH' }),
  createEndpoint('post'),
  createEndpoint('retried', { max_retry: 1 }),
  { type: 'end_call', name: 'hang_up' },
]
const userMessage: HistoryMessage = { role: 'user', content: 'hello' }
const createCalls = (...names: readonly string[]): HistoryMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: names.map((name) => ({ id: `id_${name}`, name, argumentsText: '{}' })),
})
const createResult = (name: string): HistoryMessage => ({
  role: 'tool',
  toolCallId: `id_${name}`,
  name,
  content: 'kept',
})
const input = { type: 'continue' } as const

describe('continue', () => {
  test.each<[string, readonly HistoryMessage[]]>([
    ['an unanswered message', [userMessage]],
    ['results', [userMessage, createCalls('post'), createResult('post')]],
    ['nothing at all', []],
  ])('generates after %s', async (_name, history) => {
    const http = createScriptedHttpTools()
    const { requests, text } = await playTurn([replyWith('Hi')], {
      http,
      engine: { tools },
      conversation: { history },
      input,
    })
    http.assertConsumed()
    expect(requests[0]?.messages).toHaveLength(1 + history.length)
    expect(text).toBe('Hi')
  })

  test('truncates a huge result of an earlier turn, so that it pushes nothing out of the context', async () => {
    const huge: HistoryMessage = { ...createResult('post'), content: 'x'.repeat(2_000_000) } as HistoryMessage
    const history = [userMessage, createCalls('post'), huge, userMessage]
    const { requests } = await playTurn([replyWith('ok')], { engine: { tools }, conversation: { history }, input })
    const { messages } = requests[0] ?? { messages: [] }
    expect(messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
    expect(messages[3]?.content.length).toBeLessThanOrEqual(15_000)
  })

  test('repeats safe calls without results under the same ID and marks other outcomes as unknown', async () => {
    const answer = [createHttpOutcome('again')]
    const http = createScriptedHttpTools({ get: answer, put: answer, delete: answer, retried: answer })
    const names = ['get', 'put', 'delete', 'patch', 'post', 'retried', 'look_up']
    const history = [userMessage, createCalls(...names)]
    const lookUp: Tool = { type: 'mcp', name: 'look_up', mcp_id: 'crm' }
    const engine = { tools: [...tools, lookUp], mcps: [{ name: 'crm', url: 'https://crm.example' }] }
    const { results } = await playTurn([replyWith('ok')], { http, engine, conversation: { history }, input })
    http.assertConsumed()
    expect(http.calls.map(({ toolCallId }) => toolCallId)).toEqual(['id_get', 'id_put', 'id_delete', 'id_retried'])
    expect(results.map(({ name, ok, content }) => `${name} ${ok} ${content.slice(0, 15)}`)).toEqual([
      'get true again',
      'put true again',
      'delete true again',
      'patch false outcome unknown',
      'post false outcome unknown',
      'retried true again',
      'look_up false outcome unknown',
    ])
  })

  test('runs only calls without a result', async () => {
    const http = createScriptedHttpTools({ put: [createHttpOutcome('new')] })
    const history = [userMessage, createCalls('post', 'put', 'get'), createResult('get'), createResult('post')]
    const { results } = await playTurn([replyWith('ok')], { http, engine: { tools }, conversation: { history }, input })
    http.assertConsumed()
    expect(results).toMatchObject([{ toolCallId: 'id_put', content: 'new' }])
  })

  test.each<[string, readonly HistoryMessage[]]>([
    ['before its result', [userMessage, { ...createCalls('hang_up'), content: 'Bye' } as HistoryMessage]],
    [
      'after its result',
      [userMessage, { ...createCalls('hang_up'), content: 'Bye' } as HistoryMessage, createResult('hang_up')],
    ],
    [
      'after the closing message',
      [
        userMessage,
        createCalls('hang_up'),
        createResult('hang_up'),
        { role: 'assistant', content: 'Bye', toolCalls: [] },
      ],
    ],
  ])('an end that was interrupted %s still ends', async (_name, history) => {
    const { events } = await playTurn([], { engine: { tools }, conversation: { history }, input })
    expect(events.slice(-2)).toMatchObject([{ type: 'action' }, { type: 'turn-end', outcome: 'completed' }])
  })

  test('does nothing for an answered history', async () => {
    const history: HistoryMessage[] = [userMessage, { role: 'assistant', content: 'Hi', toolCalls: [] }]
    const events = await runScenario({ engine: { tools }, conversation: { history }, input })
    expect(events).toMatchObject([{ type: 'turn-end', outcome: 'completed' }])
  })

  test('counts steps before the crash toward the limit', async () => {
    const history = [
      userMessage,
      ...Array.from({ length: 8 }, () => [createCalls('post'), createResult('post')]).flat(),
    ]
    const { requests } = await playTurn([replyWith('ok')], { engine: { tools }, conversation: { history }, input })
    expect(requests[0]?.toolChoice).toBe('none')
  })

  test('sends a valid history for a new message after an interrupted call', async () => {
    const { requests } = await playTurn([replyWith('ok')], {
      engine: { tools },
      conversation: { history: [userMessage, createCalls('post')] },
    })
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  })
})
