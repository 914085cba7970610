import { expect, test } from 'vitest'
import { findSaveBlocker, type NumberDraft, toNumberRequests } from './number-draft.ts'
import {
  isOverlapping,
  listDayNames,
  moveEntry,
  normalizeTime,
  TIME_OPTIONS,
  type TimeWindow,
  toggleDay,
} from './week-times.ts'

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

test('sends agents with the assignment and all other fields with the settings', () => {
  const edits = {
    inbound_agents: [ada, ben],
    outbound_agent: { agent_id: 'agent_ben', agent_version: 2 },
    sticky: false,
  }
  const { assignment, settings } = toNumberRequests(edits)
  expect(assignment?.body).toEqual({
    inboundAgents: [ada, ben],
    outboundAgentId: 'agent_ben',
    outboundAgentVersion: 2,
  })
  expect(settings?.body).toEqual({ sticky: false })
  expect({ ...assignment?.edits, ...settings?.edits }).toEqual(edits)
})

test('sends only edited fields', () => {
  expect(toNumberRequests({ nickname: 'Shop' }).assignment).toBeNull()
  expect(toNumberRequests({ inbound_agents: [] })).toEqual({
    assignment: { edits: { inbound_agents: [] }, body: { inboundAgents: [] } },
    settings: null,
  })
})

test('the outbound agent can be removed', () => {
  expect(toNumberRequests({ outbound_agent: null }).assignment?.body).toEqual({
    outboundAgentId: null,
    outboundAgentVersion: null,
  })
})

test.each([
  ['no agents', {}, null],
  ['complete weights', { inbound_agents: [ada, ben] }, null],
  ['incomplete weights', { inbound_agents: [ada] }, 'weights-incomplete'],
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
] as const)('%s', (_title, edits, saveBlocker) =>
  expect(findSaveBlocker({ ...DRAFT, ...(edits as Partial<NumberDraft>) })).toBe(saveBlocker),
)

const officeHours: TimeWindow = {
  days: ['mon', 'tue'],
  start: '08:00',
  end: '18:00',
  agent_id: 'agent_a',
  agent_version: null,
}

test.each([
  ['8', '08:00'],
  ['18', '18:00'],
  ['830', '08:30'],
  ['1830', '18:30'],
  ['8:30', '08:30'],
  ['8.30', '08:30'],
  ['17:5', '17:05'],
  [' 24:00 ', '24:00'],
  ['noon', 'noon'],
  ['', ''],
])('parses "%s" as "%s"', (text, time) => expect(normalizeTime(text)).toBe(time))

test('keeps days in the order of the week', () => {
  expect(toggleDay(['fri'], 'mon')).toEqual(['mon', 'fri'])
  expect(toggleDay(['mon', 'fri'], 'mon')).toEqual(['fri'])
})

test('returns day names in the language of the page', () => {
  expect(listDayNames('en', 'long').mon).toBe('Monday')
  expect(listDayNames('de', 'short').sun).toBe('So')
})

test('suggests times up to the end of the day', () => {
  expect(TIME_OPTIONS.at(0)).toBe('00:00')
  expect(TIME_OPTIONS.at(17)).toBe('08:30')
  expect(TIME_OPTIONS.at(-1)).toBe('24:00')
})

test.each([
  [{ days: ['tue'], start: '17:00', end: '20:00' }, true],
  [{ days: ['tue'], start: '18:00', end: '20:00' }, false],
  [{ days: ['wed'], start: '08:00', end: '18:00' }, false],
] as const)('office hours overlap %j: %s', (changes, overlaps) =>
  expect(isOverlapping(officeHours, { ...officeHours, ...changes, days: [...changes.days] })).toBe(overlaps),
)

test('moves an entry by one position within the list', () => {
  expect(moveEntry(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c'])
  expect(moveEntry(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'c', 'b'])
  expect(moveEntry(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c'])
})
