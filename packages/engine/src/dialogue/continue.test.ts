import type { CustomTool, Tool } from '@parley/contract/tools'
import { describe, expect, test } from 'vitest'
import { answersWith, playTurn, runScenario, says, scriptedHttpTools } from '../testing/index.ts'
import type { HistoryMessage } from './conversation.ts'

const endpoint = (name: string, fields: Partial<CustomTool> = {}): CustomTool => ({
  type: 'custom',
  name,
  url: 'https://example.com',
  ...fields,
})
const tools: readonly Tool[] = [
  endpoint('get', { method: 'GET' }),
  endpoint('put', { method: 'PUT' }),
  endpoint('delete', { method: 'DELETE' }),
  endpoint('patch', { method: 'PATCH' }),
  endpoint('post'),
  endpoint('retried', { max_retry: 1 }),
  { type: 'end_call', name: 'hang_up' },
]
const asked: HistoryMessage = { role: 'user', content: 'hello' }
const called = (...names: readonly string[]): HistoryMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: names.map((name) => ({ id: `id_${name}`, name, argumentsText: '{}' })),
})
const result = (name: string): HistoryMessage => ({ role: 'tool', toolCallId: `id_${name}`, name, content: 'kept' })
const input = { type: 'continue' } as const

describe('continue', () => {
  test.each<[string, readonly HistoryMessage[]]>([
    ['an unanswered message', [asked]],
    ['results', [asked, called('post'), result('post')]],
    ['nothing at all', []],
  ])('generates after %s', async (_name, history) => {
    const http = scriptedHttpTools()
    const { requests, text } = await playTurn([says('Hi')], {
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
    const huge: HistoryMessage = { ...result('post'), content: 'x'.repeat(2_000_000) } as HistoryMessage
    const history = [asked, called('post'), huge, asked]
    const { requests } = await playTurn([says('ok')], { engine: { tools }, conversation: { history }, input })
    const { messages } = requests[0] ?? { messages: [] }
    expect(messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
    expect(messages[3]?.content.length).toBeLessThanOrEqual(15_000)
  })

  test('calls without results: sends repeatable ones again with the same id, marks others as unknown', async () => {
    const answer = [answersWith('again')]
    const http = scriptedHttpTools({ get: answer, put: answer, delete: answer, retried: answer })
    const names = ['get', 'put', 'delete', 'patch', 'post', 'retried', 'look_up']
    const history = [asked, called(...names)]
    const lookUp: Tool = { type: 'mcp', name: 'look_up', mcp_id: 'crm' }
    const engine = { tools: [...tools, lookUp], mcps: [{ name: 'crm', url: 'https://crm.example' }] }
    const { results } = await playTurn([says('ok')], { http, engine, conversation: { history }, input })
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
    const http = scriptedHttpTools({ put: [answersWith('new')] })
    const history = [asked, called('post', 'put', 'get'), result('get'), result('post')]
    const { results } = await playTurn([says('ok')], { http, engine: { tools }, conversation: { history }, input })
    http.assertConsumed()
    expect(results).toMatchObject([{ toolCallId: 'id_put', content: 'new' }])
  })

  test.each<[string, readonly HistoryMessage[]]>([
    ['before its result', [asked, { ...called('hang_up'), content: 'Bye' } as HistoryMessage]],
    ['after its result', [asked, { ...called('hang_up'), content: 'Bye' } as HistoryMessage, result('hang_up')]],
    [
      'after the closing message',
      [asked, called('hang_up'), result('hang_up'), { role: 'assistant', content: 'Bye', toolCalls: [] }],
    ],
  ])('an end that was interrupted %s still ends', async (_name, history) => {
    const { events } = await playTurn([], { engine: { tools }, conversation: { history }, input })
    expect(events.slice(-2)).toMatchObject([{ type: 'action' }, { type: 'turn-end', outcome: 'completed' }])
  })

  test('does nothing for an answered history', async () => {
    const history: HistoryMessage[] = [asked, { role: 'assistant', content: 'Hi', toolCalls: [] }]
    const events = await runScenario({ engine: { tools }, conversation: { history }, input })
    expect(events).toMatchObject([{ type: 'turn-end', outcome: 'completed' }])
  })

  test('counts steps before the crash toward the limit', async () => {
    const history = [asked, ...Array.from({ length: 8 }, () => [called('post'), result('post')]).flat()]
    const { requests } = await playTurn([says('ok')], { engine: { tools }, conversation: { history }, input })
    expect(requests[0]?.toolChoice).toBe('none')
  })

  test('sends a valid history for a new message after an interrupted call', async () => {
    const { requests } = await playTurn([says('ok')], {
      engine: { tools },
      conversation: { history: [asked, called('post')] },
    })
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  })
})
