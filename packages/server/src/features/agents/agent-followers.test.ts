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

test.each<[string, Partial<AgentOnEngine>, { makesNext: boolean; reachesNext: boolean }]>([
  ['used', {}, { makesNext: true, reachesNext: true }],
  ['an unused draft', { frozen: false }, { makesNext: false, reachesNext: true }],
  [
    'an unused draft behind a published version',
    { frozen: false, activeVersion: 1 },
    { makesNext: false, reachesNext: false },
  ],
  ['used, behind a published version', { activeVersion: 1 }, { makesNext: true, reachesNext: false }],
  ['published', { published: true }, { makesNext: false, reachesNext: false }],
  ['activated', { activePointer: 2 }, { makesNext: false, reachesNext: false }],
  ['an activated draft', { activePointer: 2, frozen: false }, { makesNext: false, reachesNext: true }],
  ['pinned', { engine: { id: 'llm_1', version: 1, pinned: true } }, { makesNext: false, reachesNext: false }],
  [
    'a pinned draft',
    { frozen: false, engine: { id: 'llm_1', version: 1, pinned: true } },
    { makesNext: false, reachesNext: false },
  ],
  [
    'on another engine in its newest version',
    { engine: { id: 'llm_2', version: 1, pinned: false } },
    { makesNext: false, reachesNext: false },
  ],
])('an agent that is %s', (_name, changes, decision) => {
  expect(decideFollow({ ...usedAgent, ...changes }, 'llm_1')).toEqual(decision)
})
