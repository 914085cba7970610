import { expect, test } from 'vitest'
import { listBlockingUsers } from './engine-dialogs.tsx'

test('lists the agents that block a deletion, or only the names of unknown agents', () => {
  const agent = { kind: 'agent', id: 'agent_1', name: 'Robin (old)' } as const
  const namelessAgent = { kind: 'chat-agent', id: 'chat_agent_2', name: '' } as const
  const details = ['used by "Robin (old)" (agent_1)', 'used by chat_agent_2', 'used by "Ada" (agent_9)']
  const problem = { details: details.map((message) => ({ path: '', message })) }
  expect(listBlockingUsers(problem, [agent, namelessAgent])).toEqual([
    agent,
    namelessAgent,
    { kind: null, name: '"Ada" (agent_9)' },
  ])
})
