import { expect, test } from 'vitest'
import type { MessageRow } from '../../../tables/chat-tables.ts'
import { toHistory } from './turn-context.ts'
import { toRow } from './turn-writes.ts'

/** `u`: the user; `a`: the agent; `a*`: words of it that were cut off; `r`: a record of what happened. */
function rows(...script: readonly string[]): MessageRow[] {
  return script.map((mark, position) => {
    const role = { u: 'user', r: 'system' }[mark] ?? 'assistant'
    const message = { message_id: mark, role, content: mark, name: mark === 'r' ? 'agent_swap' : '' }
    const place = { chatId: 'chat_1', turnId: 'turn_1', position, now: 0 }
    return toRow(place, { ...message, incomplete: mark.endsWith('*') ? 1 : 0 }, 0)
  })
}

const shown = (messages: readonly MessageRow[], isContinuation = false) =>
  toHistory(messages, isContinuation).map(({ content }) => content)

test('words that were cut off are shown to the model once the user goes on', () => {
  expect(shown(rows('u', 'a*', 'u', 'a'))).toEqual(['u', 'a*', 'u', 'a'])
  expect(shown(rows('u', 'a*'))).toEqual(['u', 'a*'])
  expect(shown(rows('u', 'a*', 'r', 'u', 'a'))).toEqual(['u', 'a*', 'u', 'a'])
})

test('words of an attempt are not shown when the same message is or was answered again', () => {
  expect(shown(rows('u', 'a*'), true)).toEqual(['u'])
  expect(shown(rows('u', 'a*', 'a', 'u', 'a'))).toEqual(['u', 'a', 'u', 'a'])
  expect(shown(rows('u', 'a*', 'a*', 'u'))).toEqual(['u', 'a*', 'u'])
})
