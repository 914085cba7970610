import { expect, test } from 'vitest'
import { readChatFilter, toChatQuery } from './chat-filter.ts'

test('a filter is read out of the address, and the server asked for it', () => {
  const filter = readChatFilter({ agent: 'agent_1', status: 'completed', from: 'x', search: 7, page: 2 })
  expect(filter).toEqual({ agent: 'agent_1', status: 'completed', search: '7' })
  expect(toChatQuery(filter)).toEqual({ agentId: 'agent_1', status: 'completed', search: '7' })
  expect(readChatFilter({ status: 'ended' })).toEqual({})
})
