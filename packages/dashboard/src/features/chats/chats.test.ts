import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import { expect, test } from 'vitest'
import { readChatFilter, toChatQuery } from './chat-filter.ts'
import { toChatLines } from './chat-lines.ts'

const t = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  text.replace(/\{(\w+)\}/g, (_match, name: string) => String(values[name]))

const toTimestamp = (second: number): string => `2026-11-23T10:00:0${second}.000Z`

function buildMessage(changes: Partial<ChatMessage>, second: number): ChatMessage {
  return {
    message_id: `message_${second}`,
    turn_id: null,
    role: 'user',
    content: '',
    name: '',
    tool_calls: [],
    tool_call_id: null,
    incomplete: false,
    created_at: toTimestamp(second),
    ...changes,
  }
}

const chat = {
  startedAt: toTimestamp(0),
  agentId: 'agent_1',
  agentName: 'Front desk',
  agentPath: [
    { agentId: 'agent_1', agentVersion: 1, at: toTimestamp(0) },
    { agentId: 'agent_2', agentVersion: 1, at: toTimestamp(5) },
  ],
  retrievedPassages: [],
}
const lookUpCall = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"id":7}' } } as const

test('converts messages to lines and merges tool calls with their results', () => {
  const messages = [
    buildMessage({ content: 'Where is it?' }, 1),
    buildMessage({ role: 'assistant', tool_calls: [lookUpCall] }, 2),
    buildMessage({ role: 'tool', name: 'look_up', tool_call_id: 'call_1', content: 'On its way' }, 3),
    buildMessage({ role: 'assistant', content: 'On its w', incomplete: true }, 4),
    buildMessage({ role: 'assistant', content: 'Billing here.' }, 6),
  ]
  const lines = toChatLines({ ...chat, messages }, (id) => `name of ${id}`, t)
  expect(lines.map(({ name, text, tool, atMs }) => [name, tool?.result ?? text, atMs])).toEqual([
    ['Customer', 'Where is it?', 1_000],
    ['Tool', 'On its way', 2_000],
    ['Front desk', 'On its w', 4_000],
    ['name of agent_2', 'Billing here.', 6_000],
  ])
  expect(lines.map(({ isIncomplete }) => isIncomplete)).toEqual([false, false, true, false])
})

test('shows a result without its call as a separate line', () => {
  const messages = [buildMessage({ role: 'tool', name: 'look_up', tool_call_id: 'call_9', content: 'late' }, 1)]
  const lines = toChatLines({ ...chat, messages }, String, t)
  expect(lines.map(({ name, text }) => [name, text])).toEqual([['Result of look_up', 'late']])
})

test('adds the retrieved passages to a reply', () => {
  const passage: Chat['retrievedPassages'][number] = {
    turnId: 'turn_1',
    knowledgeBaseId: 'kb_1',
    sourceId: 'source_1',
    sourceType: 'file',
    sourceName: 'Manual',
    url: null,
    page: 23,
    headings: [],
    text: 'Every 800 kilometres.',
    score: 1,
    mode: 'lexical',
  }
  const messages = [
    buildMessage({ content: 'How often?', turn_id: 'turn_1' }, 1),
    buildMessage({ role: 'assistant', content: 'Every 800 kilometres.', turn_id: 'turn_1' }, 2),
  ]
  const lines = toChatLines({ ...chat, messages, retrievedPassages: [passage] }, String, t)
  expect(lines.map(({ passages }) => passages)).toEqual([undefined, [passage]])
})

test('reads a filter from the URL and converts it to a query', () => {
  const filter = readChatFilter({ agent: 'agent_1', status: 'completed', from: 'x', search: 7, page: 2 })
  expect(filter).toEqual({ agent: 'agent_1', status: 'completed', search: '7' })
  expect(toChatQuery(filter)).toEqual({ agentId: 'agent_1', status: 'completed', search: '7' })
  expect(readChatFilter({ status: 'ended' })).toEqual({})
})
