import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import { expect, test } from 'vitest'
import { readChatFilter, toChatQuery } from './chat-filter.ts'
import { toChatLines } from './chat-lines.ts'

const t = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  text.replace(/\{(\w+)\}/g, (_all, name: string) => String(values[name]))

const at = (second: number): string => `2026-11-23T10:00:0${second}.000Z`

function message(changes: Partial<ChatMessage>, second: number): ChatMessage {
  return {
    message_id: `message_${second}`,
    turn_id: null,
    role: 'user',
    content: '',
    name: '',
    tool_calls: [],
    tool_call_id: null,
    incomplete: false,
    created_at: at(second),
    ...changes,
  }
}

const chat = {
  startedAt: at(0),
  agentId: 'agent_1',
  agentName: 'Front desk',
  agentPath: [
    { agentId: 'agent_1', agentVersion: 1, at: at(0) },
    { agentId: 'agent_2', agentVersion: 1, at: at(5) },
  ],
  retrievedPassages: [],
}
const look = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"id":7}' } } as const

test('messages are lines, and tool calls have their results', () => {
  const messages = [
    message({ content: 'Where is it?' }, 1),
    message({ role: 'assistant', tool_calls: [look] }, 2),
    message({ role: 'tool', name: 'look_up', tool_call_id: 'call_1', content: 'On its way' }, 3),
    message({ role: 'assistant', content: 'On its w', incomplete: true }, 4),
    message({ role: 'assistant', content: 'Billing here.' }, 6),
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

test('a result without its call is a separate line', () => {
  const messages = [message({ role: 'tool', name: 'look_up', tool_call_id: 'call_9', content: 'late' }, 1)]
  const lines = toChatLines({ ...chat, messages }, String, t)
  expect(lines.map(({ name, text }) => [name, text])).toEqual([['Result of look_up', 'late']])
})

test('an answer has its passages', () => {
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
    message({ content: 'How often?', turn_id: 'turn_1' }, 1),
    message({ role: 'assistant', content: 'Every 800 kilometres.', turn_id: 'turn_1' }, 2),
  ]
  const lines = toChatLines({ ...chat, messages, retrievedPassages: [passage] }, String, t)
  expect(lines.map(({ passages }) => passages)).toEqual([undefined, [passage]])
})

test('a filter is read from the address and sent to the server', () => {
  const filter = readChatFilter({ agent: 'agent_1', status: 'completed', from: 'x', search: 7, page: 2 })
  expect(filter).toEqual({ agent: 'agent_1', status: 'completed', search: '7' })
  expect(toChatQuery(filter)).toEqual({ agentId: 'agent_1', status: 'completed', search: '7' })
  expect(readChatFilter({ status: 'ended' })).toEqual({})
})
