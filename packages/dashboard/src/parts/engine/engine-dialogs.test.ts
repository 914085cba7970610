import { expect, test } from 'vitest'
import { listProblemUsers } from './engine-dialogs.tsx'

test('a rejected deletion lists known agents, or else names', () => {
  const robin = { kind: 'agent', id: 'agent_1', name: 'Robin (old)' } as const
  const nameless = { kind: 'chat-agent', id: 'chat_agent_2', name: '' } as const
  const details = ['used by "Robin (old)" (agent_1)', 'used by chat_agent_2', 'used by "Ada" (agent_9)']
  const problem = { details: details.map((message) => ({ path: '', message })) }
  expect(listProblemUsers(problem, [robin, nameless])).toEqual([
    robin,
    nameless,
    { kind: null, name: '"Ada" (agent_9)' },
  ])
})
