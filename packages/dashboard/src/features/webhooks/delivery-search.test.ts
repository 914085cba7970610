import { WEBHOOK_DELIVERY_STATUSES } from '@parley/contract/webhook'
import { WEBHOOK_EVENTS } from '@parley/contract/webhook-event'
import { expect, test } from 'vitest'
import { conversationFilter, DELIVERY_STATUSES, EVENTS, readDeliverySearch } from './delivery-search.ts'

test('every event and every status of the contract can be chosen once', () => {
  expect([...EVENTS].sort()).toEqual([...WEBHOOK_EVENTS].sort())
  expect([...DELIVERY_STATUSES].sort()).toEqual([...WEBHOOK_DELIVERY_STATUSES].sort())
})

test('an address keeps what can be filtered by', () => {
  const search = {
    webhookId: 'webhook_1',
    event: 'chat_ended',
    status: 'failed',
    callId: 'call_1',
    delivery: 'delivery_1',
  }
  expect(readDeliverySearch(search)).toEqual(search)
})

test('words that are no filter are left out', () => {
  expect(readDeliverySearch({ event: 'nothing', status: 7, chatId: '', page: '2' })).toEqual({})
})

test('an id is looked for among what it names', () => {
  expect(conversationFilter(' call_1 ')).toEqual({ callId: 'call_1' })
  expect(conversationFilter('chat_1')).toEqual({ chatId: 'chat_1' })
  expect(conversationFilter(' ')).toEqual({})
})
