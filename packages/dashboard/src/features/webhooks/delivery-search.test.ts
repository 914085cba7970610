import { WEBHOOK_DELIVERY_STATUSES } from '@parley/contract/webhook'
import { WEBHOOK_EVENTS } from '@parley/contract/webhook-event'
import { expect, test } from 'vitest'
import { indentJson } from './delivery-dialog.tsx'
import { buildConversationFilter, DELIVERY_STATUSES, EVENTS, readDeliverySearch } from './delivery-search.ts'

test('lists every event and status once', () => {
  expect([...EVENTS].sort()).toEqual([...WEBHOOK_EVENTS].sort())
  expect([...DELIVERY_STATUSES].sort()).toEqual([...WEBHOOK_DELIVERY_STATUSES].sort())
})

test('reads the filters from the URL', () => {
  const search = {
    webhookId: 'webhook_1',
    event: 'chat_ended',
    status: 'failed',
    callId: 'call_1',
    delivery: 'delivery_1',
  }
  expect(readDeliverySearch(search)).toEqual(search)
})

test('drops unknown filters', () => {
  expect(readDeliverySearch({ event: 'nothing', status: 7, chatId: '', page: '2' })).toEqual({})
})

test('the prefix of an ID selects the filter', () => {
  expect(buildConversationFilter(' call_1 ')).toEqual({ callId: 'call_1' })
  expect(buildConversationFilter('chat_1')).toEqual({ chatId: 'chat_1' })
  expect(buildConversationFilter(' ')).toEqual({})
})

test('indents JSON and keeps other text', () => {
  expect(indentJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(indentJson('{"a":')).toBe('{"a":')
})
