import { expect, test } from 'vitest'
import type { AnyAgent } from './agent-kind.ts'
import { hasOnlyFollowed } from './own-follow.ts'

const known = {
  agent_id: 'agent_1',
  version: 1,
  is_frozen: true,
  agent_name: 'Robin',
  responsiveness: 'fast',
  response_engine: { type: 'llm', llm_id: 'llm_1', version: 1 },
} as unknown as AnyAgent

test('an agent that got a version for its engine holds nobody else’s edits', () => {
  const followed = {
    ...known,
    version: 2,
    is_frozen: false,
    responsiveness: 'slow',
    response_engine: { type: 'llm', llm_id: 'llm_1', version: null },
  } as AnyAgent
  expect(hasOnlyFollowed(known, followed)).toBe(true)
})

test('a setting or another engine is an edit of somebody', () => {
  expect(hasOnlyFollowed(known, { ...known, version: 2, agent_name: 'Ada' } as AnyAgent)).toBe(false)
  const other = { ...known, response_engine: { type: 'llm', llm_id: 'llm_2', version: null } } as AnyAgent
  expect(hasOnlyFollowed(known, other)).toBe(false)
})
