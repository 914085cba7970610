import { expect, test } from 'vitest'
import { SEEDED_TENANT } from '../../../../../testing/seed-workspaces.ts'
import { createNumberAgentRemoval } from './number-agent-removal.ts'
import { everywhere, OTHER_TENANT_SID, openNumbers } from './number-test-kit.ts'

const NUMBER = '+4989123456'

async function openNumber() {
  const numbers = await openNumbers()
  await numbers.addNumber(NUMBER)
  return numbers
}

test('returns the complete result of an assignment', async () => {
  await using numbers = await openNumber()
  const assigned = await numbers.assign('%2B49-89-123456', {
    accountSid: SEEDED_TENANT,
    outboundAgentId: 'agent_a',
    outboundAgentVersion: 2,
    inboundAgents: [
      { agent_id: 'agent_a', weight: 0.2 },
      { agent_id: 'agent_b', agent_version: 3, weight: 0.8 },
    ],
    inboundWebhookUrl: 'https://example.com/inbound',
    isTimeRoutingEnabled: true,
  })
  expect(assigned).toMatchObject({ status: 200, etag: '"2"' })
  const inbound_agents = [
    { agent_id: 'agent_a', agent_version: null, weight: 0.2 },
    { agent_id: 'agent_b', agent_version: 3, weight: 0.8 },
  ]
  const outbound_agents = [{ agent_id: 'agent_a', agent_version: 2, weight: 1 }]
  expect(assigned.body).toEqual({
    success: true,
    message:
      `The agents of ${NUMBER} are assigned. ` +
      'Time routing is on but has no effect without windows in "time_routing".',
    numbers: [
      expect.objectContaining({
        number: NUMBER,
        agent_id: 'agent_b',
        inbound_agent_id: null,
        inbound_agent_version: null,
        inbound_agents,
        outbound_agents,
        outbound_agent_version: 2,
        inbound_webhook_url: 'https://example.com/inbound',
        is_time_routing_enabled: true,
      }),
    ],
    assignment: {
      account_sid: SEEDED_TENANT,
      workspace_id: 1,
      agent_id: 'agent_b',
      inbound_agent_id: null,
      inbound_agents,
      outbound_agents,
      is_time_routing_enabled: true,
      platform_import_error: false,
      platform_import_error_message: null,
    },
  })
  expect(numbers.frozen.sort()).toEqual(['agent_a@2', 'agent_b@3'])
  const read = await numbers.send(`GET /api/numbers/${NUMBER}?workspaceId=1`)
  expect(read.body).toEqual(assigned.body.numbers[0])
})

test('keeps absent fields, unbinds with null and [], accepts snake case', async () => {
  await using numbers = await openNumber()
  const { assign } = numbers
  await assign(NUMBER, {
    outbound_agent_id: 'agent_a',
    outbound_agent_version: 1,
    inbound_agents: [{ agentId: 'agent_b' }],
  })
  const unchanged = await assign(NUMBER, {})
  expect(unchanged).toMatchObject({
    etag: '"2"',
    body: { numbers: [{ inbound_agent_id: 'agent_b', outbound_agents: [{ agent_id: 'agent_a', agent_version: 1 }] }] },
  })
  const inboundRemoved = await assign(NUMBER, { inboundAgents: [] })
  expect(inboundRemoved.body.numbers).toMatchObject([{ inbound_agents: [], agent_id: null, outbound_agent_version: 1 }])
  const allRemoved = await assign(NUMBER, { outboundAgentId: null, inboundAgents: null })
  expect(allRemoved.body.numbers).toMatchObject([
    { inbound_agents: [], outbound_agents: [], outbound_agent_version: null },
  ])
})

test('another outbound agent without a version clears the version; a version alone changes it', async () => {
  await using numbers = await openNumber()
  const versionAfter = async (body: object) =>
    (await numbers.assign(NUMBER, body)).body.numbers?.[0].outbound_agent_version
  expect(await versionAfter({ outboundAgentId: 'agent_a', outboundAgentVersion: 1 })).toBe(1)
  expect(await versionAfter({ outboundAgentVersion: 3 })).toBe(3)
  expect(await versionAfter({ outboundAgentId: 'agent_a' })).toBe(3)
  expect(await versionAfter({ outboundAgentId: 'agent_a', outboundAgentVersion: null })).toBeNull()
  expect(await versionAfter({ outboundAgentVersion: 2 })).toBe(2)
  expect(await versionAfter({ outboundAgentId: 'agent_b' })).toBeNull()
  expect(await versionAfter({ outboundAgentId: null })).toBeNull()
  expect(await numbers.assign(NUMBER, { outboundAgentVersion: 1 })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'outboundAgentVersion' }] },
  })
})

test('agents without a weight share the remaining weight', async () => {
  await using numbers = await openNumber()
  const inboundAgents = [{ agent_id: 'agent_a', weight: 0.5 }, { agent_id: 'agent_b' }, { agent_id: 'agent_c' }]
  const assigned = await numbers.assign(NUMBER, { inboundAgents })
  expect(assigned.body.assignment.inbound_agents.map(({ weight }: { weight: number }) => weight)).toEqual([
    0.5, 0.25, 0.25,
  ])
})

test('reports every problem of the weights with its path', async () => {
  await using numbers = await openNumber()
  const response = await numbers.assign(NUMBER, {
    outboundAgentVersion: 0,
    inboundWebhookUrl: 'ftp://example.com',
    inboundAgents: [
      { agent_id: 'agent_a', weight: 0.5 },
      { agent_id: 'agent_a', weight: 0.2 },
    ],
  })
  expect(response.status).toBe(400)
  expect(response.body.details).toEqual([
    { path: 'outboundAgentVersion', message: 'must be at least 1' },
    { path: 'inboundAgents[1]', message: 'must not contain the same agent and version twice' },
    { path: 'inboundAgents', message: 'must have weights that add up to 1, not 0.7' },
    { path: 'inboundWebhookUrl', message: 'must be an http:// or https:// URL' },
  ])
  for (const weight of [0, -0.5, 1.5, 'half']) {
    const response = await numbers.assign(NUMBER, { inboundAgents: [{ agent_id: 'agent_a', weight }] })
    expect(response.body.details, String(weight)).toMatchObject([{ path: 'inboundAgents[0].weight' }])
  }
  const twentyOne = Array.from({ length: 21 }, (_, index) => ({ agent_id: 'agent_a', agent_version: index + 1 }))
  expect((await numbers.assign(NUMBER, { inboundAgents: twentyOne })).status).toBe(400)
})

test('returns 404 naming unknown agents and versions, and binds nothing', async () => {
  await using numbers = await openNumber()
  const response = await numbers.assign(NUMBER, {
    outboundAgentId: 'agent_d',
    inboundAgents: [{ agent_id: 'agent_a', agent_version: 7 }],
  })
  expect(response).toMatchObject({
    status: 404,
    body: {
      error: 'No version 7 of agent "agent_a" exists in this workspace.',
      details: [
        { path: 'inboundAgents[0].agent_id' },
        { path: 'outboundAgentId', message: 'No agent "agent_d" exists in this workspace.' },
      ],
    },
  })
  expect(numbers.frozen).toEqual([])
  expect((await numbers.send(`GET /api/numbers/${NUMBER}?workspaceId=1`)).body.inbound_agents).toEqual([])
})

test('rejects an account that does not own the workspace', async () => {
  await using numbers = await openNumber()
  expect(await numbers.assign(NUMBER, { accountSid: OTHER_TENANT_SID })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'accountSid' }] },
  })
  expect((await numbers.assign(NUMBER, { accountSid: null })).status).toBe(200)
})

test('a number moves between workspaces of its account without its agents', async () => {
  await using numbers = await openNumber()
  const { assign, send } = numbers
  await assign(NUMBER, { outboundAgentId: 'agent_a', inboundAgents: [{ agent_id: 'agent_b' }] })
  const window = { days: ['mon'], start: '08:00', end: '12:00', agent_id: 'agent_a' }
  await send(`PATCH /api/numbers/${NUMBER}`, {
    workspaceId: 1,
    nickname: 'Desk',
    default_agent_id: 'agent_c',
    time_routing: { timezone: 'UTC', windows: [window] },
  })
  const moved = await assign(NUMBER, { workspaceId: 2, inboundAgents: [{ agent_id: 'agent_d' }] })
  expect(moved).toMatchObject({
    status: 200,
    body: {
      message: expect.stringContaining('moved to workspace 2'),
      numbers: [
        {
          id: 1,
          workspace_id: 2,
          nickname: 'Desk',
          inbound_agent_id: 'agent_d',
          outbound_agents: [],
          default_agent_id: null,
          time_routing: null,
        },
      ],
    },
  })
  expect((await send(`GET /api/numbers/${NUMBER}?workspaceId=1`)).status).toBe(404)
  expect((await send(`GET /api/numbers/${NUMBER}?workspaceId=2`)).body).toEqual(moved.body.numbers[0])
})

test('returns not_found for a number of another account, or of a workspace without write access', async () => {
  await using numbers = await openNumber()
  numbers.actAs(everywhere)
  expect((await numbers.assign(NUMBER, { workspaceId: 3 })).status).toBe(404)
  expect((await numbers.assign('+15550100200', {})).status).toBe(404)
  const editorMembership = { level: 'editor' as const, accountSid: SEEDED_TENANT }
  const watched = { level: 'viewer' as const, accountSid: SEEDED_TENANT }
  for (const workspaces of [
    new Map([[2, editorMembership]]),
    new Map<number, typeof editorMembership | typeof watched>([
      [1, watched],
      [2, editorMembership],
    ]),
  ]) {
    numbers.actAs({ role: 'end_user', workspaces })
    const response = await numbers.assign(NUMBER, { workspaceId: 2 })
    expect(response).toMatchObject({
      status: 404,
      body: { error: `No phone number "${NUMBER}" exists in this workspace.` },
    })
  }
})

test('removes a deleted agent from every number, and the remaining agents share its calls', async () => {
  await using numbers = await openNumber()
  const { assign, send, addNumber, database, clock } = numbers
  const inboundAgents = [
    { agent_id: 'agent_a', weight: 0.5 },
    { agent_id: 'agent_b', weight: 0.2 },
    { agent_id: 'agent_c', weight: 0.3 },
  ]
  await assign(NUMBER, { outboundAgentId: 'agent_a', inboundAgents })
  const window = { days: ['mon'], start: '08:00', end: '12:00' }
  const windows = [
    { ...window, agent_id: 'agent_a' },
    { ...window, agent_id: 'agent_b' },
  ]
  await send(`PATCH /api/numbers/${NUMBER}`, {
    workspaceId: 1,
    default_agent_id: 'agent_a',
    time_routing: { timezone: 'UTC', windows, fallback_agent_id: 'agent_a' },
  })
  await addNumber('101')
  await assign('101', { outboundAgentId: 'agent_b' })
  await database.transaction((transaction) =>
    createNumberAgentRemoval().removeAgentReferences(transaction, {
      workspaceId: 1,
      agentId: 'agent_a',
      now: clock.now(),
    }),
  )
  expect(await send(`GET /api/numbers/${NUMBER}?workspaceId=1`)).toMatchObject({
    etag: '"4"',
    body: {
      inbound_agents: [
        { agent_id: 'agent_b', weight: 0.4 },
        { agent_id: 'agent_c', weight: 0.6 },
      ],
      outbound_agents: [],
      default_agent_id: null,
      time_routing: { windows: [{ agent_id: 'agent_b' }], fallback_agent_id: null },
    },
  })
  expect(await send('GET /api/numbers/101?workspaceId=1')).toMatchObject({
    etag: '"2"',
    body: { outbound_agents: [{ agent_id: 'agent_b' }] },
  })
})
