import { expect, test } from 'vitest'
import { decideFollow } from './agent-followers.ts'
import type { AgentOnEngine } from './agent-store.ts'

const usedAgent: AgentOnEngine = {
  id: 'agent_1',
  newestVersion: 2,
  activeVersion: 2,
  activePointer: null,
  frozen: true,
  published: false,
  definition: {
    agent_name: '',
    response_engine: { type: 'llm', llm_id: 'llm_1' },
    language: 'en-US',
    timezone: 'UTC',
    fallback_models: [],
    fallback_message: null,
  },
  engine: { id: 'llm_1', version: 1, pinned: false },
}

test.each<[string, Partial<AgentOnEngine>, { createsNextVersion: boolean; reachesConversations: boolean }]>([
  ['used', {}, { createsNextVersion: true, reachesConversations: true }],
  ['an unused draft', { frozen: false }, { createsNextVersion: false, reachesConversations: true }],
  [
    'an unused draft behind a published version',
    { frozen: false, activeVersion: 1 },
    { createsNextVersion: false, reachesConversations: false },
  ],
  ['used, behind a published version', { activeVersion: 1 }, { createsNextVersion: true, reachesConversations: false }],
  ['published', { published: true }, { createsNextVersion: false, reachesConversations: false }],
  ['activated', { activePointer: 2 }, { createsNextVersion: false, reachesConversations: false }],
  [
    'an activated draft',
    { activePointer: 2, frozen: false },
    { createsNextVersion: false, reachesConversations: true },
  ],
  [
    'pinned',
    { engine: { id: 'llm_1', version: 1, pinned: true } },
    { createsNextVersion: false, reachesConversations: false },
  ],
  [
    'a pinned draft',
    { frozen: false, engine: { id: 'llm_1', version: 1, pinned: true } },
    { createsNextVersion: false, reachesConversations: false },
  ],
  [
    'on another engine in its newest version',
    { engine: { id: 'llm_2', version: 1, pinned: false } },
    { createsNextVersion: false, reachesConversations: false },
  ],
])('an agent that is %s', (_name, changes, decision) => {
  expect(decideFollow({ ...usedAgent, ...changes }, 'llm_1')).toEqual(decision)
})
