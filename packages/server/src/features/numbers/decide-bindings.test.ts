import { AssignNumberAgentsBody } from '@parley/contract/phone-number'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideBindings, toPhoneNumber } from './decide-bindings.ts'
import { removeAgentFromNumber } from './number-agent-removal.ts'
import { parseBaseNumber, type StoredNumber } from './stored-number.ts'

const number: StoredNumber = {
  id: 1,
  number: '+4989123456',
  workspaceId: 1,
  accountSid: 'account',
  provider: 'loopback',
  verifiedBy: null,
  nickname: null,
  inbound: [],
  outbound: null,
  defaultAgentId: null,
  applicationSid: 'application',
  phoneNumberSid: 'number',
  inboundWebhookUrl: null,
  isTimeRoutingEnabled: false,
  timeRouting: null,
  sticky: true,
  fallbackNumber: null,
  terminationUri: null,
  hasCredentials: false,
  importError: null,
  editCount: 1,
  createdAt: 0,
  updatedAt: 0,
}

const agentId = fc.constantFrom('agent_a', 'agent_b', 'agent_c', 'agent_d')
const version = fc.option(fc.integer({ min: 1, max: 3 }))
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

/** Lists of weights that add up: shares of a whole, some of them omitted. */
const inboundAgents = fc
  .uniqueArray(fc.record({ agent_id: agentId, agent_version: version, share: fc.integer({ min: 1, max: 50 }) }), {
    maxLength: 12,
    selector: ({ agent_id, agent_version }) => `${agent_id}@${agent_version}`,
  })
  .chain((agents) => {
    const whole = agents.reduce((sum, { share }) => sum + share, 0)
    return fc
      .array(fc.boolean(), { minLength: agents.length, maxLength: agents.length })
      .map((without) =>
        agents.map(({ share, ...agent }, index) => (without[index] ? agent : { ...agent, weight: share / whole })),
      )
  })

const request = fc
  .record({
    workspaceId: fc.constantFrom(1, 2),
    outboundAgentId: optional(fc.option(agentId)),
    inboundAgents: optional(fc.option(inboundAgents)),
    isTimeRoutingEnabled: optional(fc.boolean()),
    inboundWebhookUrl: optional(fc.option(fc.constant('https://example.com'))),
  })
  .map((body) => ({ ...AssignNumberAgentsBody.parse(body), workspaceId: body.workspaceId }))

const sumWeights = ({ inbound }: Pick<StoredNumber, 'inbound'>) => inbound.reduce((sum, { weight }) => sum + weight, 0)

describe('decideBindings', () => {
  test('weights add up to 1 after any sequence of requests', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 5 }), (requests) => {
        const decided = requests.reduce(decideBindings, number)
        if (decided.inbound.length > 0) expect(Math.abs(sumWeights(decided) - 1)).toBeLessThanOrEqual(0.001)
        for (const { weight } of decided.inbound) expect(weight).toBeGreaterThan(0)
      }),
    )
  })

  test('repeating a request changes nothing', () => {
    fc.assert(
      fc.property(request, request, (before, again) => {
        const once = decideBindings(decideBindings(number, before), again)
        expect(decideBindings(once, again)).toEqual(once)
      }),
    )
  })

  test('a number that was read can be written back', () => {
    fc.assert(
      fc.property(request, (body) => {
        const decided = decideBindings(number, body)
        const { inbound_agents, outbound_agents } = toPhoneNumber(decided)
        const back = AssignNumberAgentsBody.parse({
          inboundAgents: inbound_agents,
          outboundAgentId: outbound_agents[0]?.agent_id ?? null,
          outboundAgentVersion: outbound_agents[0]?.agent_version ?? null,
        })
        expect(decideBindings(decided, { ...back, workspaceId: decided.workspaceId })).toEqual(decided)
      }),
    )
  })
})

test('removing an agent leaves weights that add up to 1', () => {
  fc.assert(
    fc.property(request, agentId, (body, removedAgent) => {
      const remainingNumber = removeAgentFromNumber(decideBindings(number, body), removedAgent)
      expect(remainingNumber.inbound.map(({ agent_id }) => agent_id)).not.toContain(removedAgent)
      if (remainingNumber.inbound.length > 0)
        expect(Math.abs(sumWeights(remainingNumber) - 1)).toBeLessThanOrEqual(0.001)
    }),
  )
})

describe('toPhoneNumber', () => {
  const agent = (agent_id: string, weight: number, agent_version: number | null = null) => ({
    agent_id,
    agent_version,
    weight,
  })

  test.each<[string, Partial<StoredNumber>, object]>([
    ['nobody', {}, { agent_id: null, inbound_agent_id: null, outbound_agents: [] }],
    ['a default', { defaultAgentId: 'x' }, { agent_id: 'x', default_agent_id: 'x', inbound_agent_id: null }],
    [
      'one agent before the default',
      { defaultAgentId: 'x', inbound: [agent('a', 1, 4)] },
      { agent_id: 'a', inbound_agent_id: 'a', inbound_agent_version: 4 },
    ],
    [
      'the heaviest of several',
      { inbound: [agent('a', 0.3, 1), agent('b', 0.7, 2)] },
      { agent_id: 'b', inbound_agent_id: null, inbound_agent_version: null },
    ],
    ['the first of equals', { inbound: [agent('b', 0.5), agent('a', 0.5)] }, { agent_id: 'b' }],
    [
      'an outbound agent',
      { outbound: { agent_id: 'o', agent_version: 2 } },
      { outbound_agents: [agent('o', 1, 2)], outbound_agent_version: 2, agent_id: null },
    ],
    ['a failed import', { importError: 'No.' }, { platform_import_error: true, platform_import_error_message: 'No.' }],
  ])('%s', (_, fields, expected) => {
    expect(toPhoneNumber({ ...number, ...fields })).toMatchObject(expected)
  })
})

test.each([
  ['+49 (89) 12-34.56', '4989123456'],
  ['101', '101'],
  ['49+89', null],
  ['', null],
  ['7', null],
  ['1e9', null],
])('the digits of %j are %j', (text, expected) => {
  expect(parseBaseNumber(text)).toBe(expected)
})
