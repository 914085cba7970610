import { expect, test } from 'vitest'
import type { MessageRow } from '../../../tables/chat-tables.ts'
import { HistoryCache } from './start-turn.ts'
import { toHistory } from './turn-context.ts'
import { toMessageRow } from './turn-writes.ts'

const createRow = (content: string): MessageRow => ({
  message_id: 'message_1',
  chat_id: 'chat_1',
  position: 0,
  turn_id: null,
  role: 'user',
  content,
  name: '',
  tool_calls: '[]',
  tool_call_id: null,
  incomplete: 0,
  created_at: 0,
})

test('a history is valid only for the chat row after its turn', () => {
  const histories = new HistoryCache()
  const rows = [createRow('hello')]
  histories.put('a', { turnCount: 1, messageCount: 2, rewindCount: 0 }, rows)
  expect(histories.find({ chat_id: 'a', turn_count: 1, message_count: 2, rewind_count: 0 })).toBe(rows)
  expect(histories.find({ chat_id: 'a', turn_count: 2, message_count: 2, rewind_count: 0 })).toBeNull()
  expect(histories.find({ chat_id: 'a', turn_count: 1, message_count: 3, rewind_count: 0 })).toBeNull()
  expect(histories.find({ chat_id: 'b', turn_count: 1, message_count: 2, rewind_count: 0 })).toBeNull()
  histories.evict('a')
  expect(histories.find({ chat_id: 'a', turn_count: 1, message_count: 2, rewind_count: 0 })).toBeNull()
})

test('evicts the least recently used histories by number and size', () => {
  const histories = new HistoryCache()
  const counts = { turnCount: 1, messageCount: 1, rewindCount: 0 }
  const hasHistory = (chatId: string): boolean =>
    histories.find({ chat_id: chatId, turn_count: 1, message_count: 1, rewind_count: 0 }) !== null
  for (let chat = 0; chat < 501; chat += 1) histories.put(`chat_${chat}`, counts, [createRow('x')])
  expect([hasHistory('chat_0'), hasHistory('chat_1'), hasHistory('chat_500')]).toEqual([false, true, true])
  histories.put('large', counts, [createRow('x'.repeat(32 * 1024 * 1024 - 2))])
  expect([hasHistory('chat_500'), hasHistory('large')]).toEqual([false, true])
  histories.put('too large', counts, [createRow('x'.repeat(33 * 1024 * 1024))])
  expect([hasHistory('large'), hasHistory('too large')]).toEqual([false, false])
})

/** Builds message rows. `u`: user; `a`: agent; `a*`: truncated agent message; `r`: event record. */
function buildRows(...script: readonly string[]): MessageRow[] {
  return script.map((mark, position) => {
    const role = { u: 'user', r: 'system' }[mark] ?? 'assistant'
    const message = { message_id: mark, role, content: mark, name: mark === 'r' ? 'agent_swap' : '' }
    const location = { chatId: 'chat_1', turnId: 'turn_1', position, now: 0 }
    return toMessageRow(location, { ...message, incomplete: mark.endsWith('*') ? 1 : 0 }, 0)
  })
}

const listShownContents = (messages: readonly MessageRow[], isContinuation = false) =>
  toHistory(messages, isContinuation).map(({ content }) => content)

test('shows truncated answers to the model after the user continues', () => {
  expect(listShownContents(buildRows('u', 'a*', 'u', 'a'))).toEqual(['u', 'a*', 'u', 'a'])
  expect(listShownContents(buildRows('u', 'a*'))).toEqual(['u', 'a*'])
  expect(listShownContents(buildRows('u', 'a*', 'r', 'u', 'a'))).toEqual(['u', 'a*', 'u', 'a'])
})

test('hides a truncated attempt when the same message is answered again', () => {
  expect(listShownContents(buildRows('u', 'a*'), true)).toEqual(['u'])
  expect(listShownContents(buildRows('u', 'a*', 'a', 'u', 'a'))).toEqual(['u', 'a', 'u', 'a'])
  expect(listShownContents(buildRows('u', 'a*', 'a*', 'u'))).toEqual(['u', 'a*', 'u'])
})
