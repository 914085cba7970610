import { expect, test } from 'vitest'
import { type NumberDraft, obstacleOf, writesOf } from './number-draft.ts'

const DRAFT: NumberDraft = {
  nickname: null,
  inbound_agents: [],
  outbound_agent: null,
  default_agent_id: null,
  sticky: true,
  fallback_number: null,
  inbound_webhook_url: null,
  is_time_routing_enabled: false,
  time_routing: null,
}
const ada = { agent_id: 'agent_ada', agent_version: null, weight: 0.7 }
const ben = { agent_id: 'agent_ben', agent_version: 2, weight: 0.3 }

test('agents go with the assignment, everything else with the settings', () => {
  const edits = {
    inbound_agents: [ada, ben],
    outbound_agent: { agent_id: 'agent_ben', agent_version: 2 },
    sticky: false,
  }
  const { binding, settings } = writesOf(edits)
  expect(binding?.body).toEqual({
    inboundAgents: [ada, ben],
    outboundAgentId: 'agent_ben',
    outboundAgentVersion: 2,
  })
  expect(settings?.body).toEqual({ sticky: false })
  expect({ ...binding?.edits, ...settings?.edits }).toEqual(edits)
})

test('what was not edited is not sent', () => {
  expect(writesOf({ nickname: 'Shop' }).binding).toBeNull()
  expect(writesOf({ inbound_agents: [] })).toEqual({
    binding: { edits: { inbound_agents: [] }, body: { inboundAgents: [] } },
    settings: null,
  })
})

test('nobody calls from a number any more', () => {
  expect(writesOf({ outbound_agent: null }).binding?.body).toEqual({
    outboundAgentId: null,
    outboundAgentVersion: null,
  })
})

test.each([
  ['nothing bound', {}, null],
  ['all of the calls shared', { inbound_agents: [ada, ben] }, null],
  ['a part of the calls shared', { inbound_agents: [ada] }, 'not-whole'],
  ['a row without an agent', { inbound_agents: [ada, { ...ben, agent_id: '' }] }, 'agent-missing'],
  [
    'hours without an agent',
    {
      time_routing: {
        timezone: 'UTC',
        windows: [{ days: [], start: '08:00', end: '18:00', agent_id: '', agent_version: null }],
        fallback_agent_id: null,
      },
    },
    'agent-missing',
  ],
] as const)('%s', (_what, edits, obstacle) =>
  expect(obstacleOf({ ...DRAFT, ...(edits as Partial<NumberDraft>) })).toBe(obstacle),
)
