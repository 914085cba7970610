import type { NumberAssigned, PhoneNumber } from '@parley/contract/phone-number'
import { describe, expect, test as plainTest } from 'vitest'
import type { ApiResponse } from '../../../testing/api-client.ts'
import { createAgent, expectBody, read, send } from '../../../testing/server-test.ts'
import { as, expectRefusal, type RefusalEnvironment, startRefusalEnvironment } from './refusal-environment.ts'
import { makeNumber } from './scene.ts'

const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('stage', { scope: 'file' }, async ({}, { onCleanup }) => {
    const stage = await startRefusalEnvironment()
    onCleanup(() => stage[Symbol.asyncDispose]())
    let made = 0
    return { ...stage, nextNumber: () => `+1555400${String(++made).padStart(4, '0')}` }
  })

interface Stage extends RefusalEnvironment {
  readonly nextNumber: () => string
}

/** Creates a separate number for each test. */
async function newNumber({ server, nextNumber }: Stage, fields: object = {}): Promise<string> {
  return (await makeNumber(server, nextNumber(), fields)).number
}

function assign(
  { server }: RefusalEnvironment,
  number: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiResponse<NumberAssigned>> {
  return send<NumberAssigned>(server, 'PUT', `/api/numbers/${encodeURIComponent(number)}/agent`, body, { headers })
}

async function assigned(stage: RefusalEnvironment, number: string, body: object): Promise<PhoneNumber> {
  const answer = await expectBody(200, assign(stage, number, body))
  const [record, ...others] = answer.numbers
  expect(others).toEqual([])
  expect(record).toMatchObject(answer.assignment)
  return record as PhoneNumber
}

async function twoAgents({ server }: RefusalEnvironment): Promise<readonly [string, string]> {
  return [(await createAgent(server)).agent_id, (await createAgent(server)).agent_id]
}

describe('400', () => {
  test.for([
    ['weights with a sum below 1', [0.5, 0.4]],
    ['weights with a sum above 1', [0.5, 0.502]],
    ['a weight of zero', [0, 1]],
    ['a weight above 1', [1.1]],
    ['a negative weight', [-0.5, 1.5]],
    ['a missing weight without a remaining share', [1, null]],
  ] as const)('for %s', async ([, weights], { stage }) => {
    const number = await newNumber(stage)
    const agents = await twoAgents(stage)
    const inboundAgents = weights.map((weight, index) => ({ agent_id: agents[index], weight }))
    const { details } = expectRefusal(await assign(stage, number, { inboundAgents }), [400, 'invalid_request'])
    for (const { path } of details) expect(path).toMatch(/^inboundAgents/)
  })

  test('for all problems together, with their paths', async ({ stage }) => {
    const answer = await assign(stage, await newNumber(stage), {
      accountSid: 7,
      outboundAgentVersion: 0,
      inboundAgents: [{ agent_id: 'agent_a', weight: 2 }, { agent_version: 1 }],
      inboundWebhookUrl: 'ftp://x',
      isTimeRoutingEnabled: 'yes',
    })
    const { details } = expectRefusal(answer, [400, 'invalid_request'])
    expect(details.map(({ path }) => path).sort()).toEqual([
      'accountSid',
      'inboundAgents[0].weight',
      'inboundAgents[1].agent_id',
      'inboundWebhookUrl',
      'isTimeRoutingEnabled',
      'outboundAgentVersion',
    ])
  })

  test('for the account of another tenant', async ({ stage }) => {
    const accountSid = '00000000-0000-4000-8000-000000000000'
    const { details } = expectRefusal(await assign(stage, await newNumber(stage), { accountSid }), [
      400,
      'invalid_request',
    ])
    expect(details.map(({ path }) => path)).toEqual(['accountSid'])
  })
})

test('403 for an inaccessible workspace and a read-only token', async ({ stage }) => {
  const number = await newNumber(stage)
  const { first, reader } = stage.tokens
  const workspaceId = stage.secondWorkspaceId
  expectRefusal(await assign(stage, number, { workspaceId }, as(first)), [403, 'workspace_forbidden'])
  expectRefusal(await assign(stage, number, { workspaceId: 999 }, as(first)), [403, 'workspace_forbidden'])
  expectRefusal(await assign(stage, number, { inboundAgents: [] }, as(reader)), [403, 'forbidden'])
})

test('404 for unknown or inaccessible numbers and agents', async ({ stage }) => {
  const { server, secondWorkspaceId, tokens } = stage
  const number = await newNumber(stage)
  expectRefusal(await assign(stage, '+15559999999', {}), [404, 'not_found'])
  expectRefusal(await assign(stage, 'no-number', {}), [404, 'not_found'])
  expectRefusal(await assign(stage, number, { outboundAgentId: 'agent_no' }), [404, 'not_found'])
  const agent_id = (await createAgent(server)).agent_id
  const unknownVersion = { inboundAgents: [{ agent_id, agent_version: 9, weight: 1 }] }
  expectRefusal(await assign(stage, number, unknownVersion), [404, 'not_found'])
  // The agent stays in the first workspace, so the number cannot use it in the second.
  const elsewhere = { workspaceId: secondWorkspaceId, outboundAgentId: agent_id }
  expectRefusal(await assign(stage, number, elsewhere), [404, 'not_found'])
  const moved = await newNumber(stage)
  await expectBody(200, assign(stage, moved, { workspaceId: secondWorkspaceId }))
  expectRefusal(await assign(stage, moved, {}, as(tokens.first)), [404, 'not_found'])
  expect((await read(server, `/api/numbers/${number}`)).body).toMatchObject({ outbound_agents: [], inbound_agents: [] })
})

test('a number that its carrier could not import is assigned and reports the error', async ({ stage }) => {
  const number = await newNumber(stage, { provider: 'twilio' })
  const [agent_id] = await twoAgents(stage)
  const answer = await expectBody(200, assign(stage, number, { inboundAgents: [{ agent_id, weight: 1 }] }))
  const failed = { platform_import_error: true, platform_import_error_message: expect.stringMatching(/\S/) }
  expect(answer).toMatchObject({
    success: true,
    numbers: [{ ...failed, inbound_agent_id: agent_id, agent_id, inbound_agents: [{ agent_id, weight: 1 }] }],
    assignment: { ...failed, inbound_agent_id: agent_id },
  })
  expect(answer.message).toContain(answer.assignment.platform_import_error_message)
})

test('omitted fields are unchanged, and null and empty lists remove assignments', async ({ stage }) => {
  const number = await newNumber(stage)
  const [inbound, outbound] = await twoAgents(stage)
  await assigned(stage, number, {
    outboundAgentId: outbound,
    outboundAgentVersion: 1,
    inboundAgents: [{ agent_id: inbound, agent_version: 1, weight: 1 }],
    inboundWebhookUrl: 'https://hooks.example/in',
    isTimeRoutingEnabled: true,
  })
  const all = {
    inbound_agent_id: inbound,
    inbound_agent_version: 1,
    outbound_agents: [{ agent_id: outbound, agent_version: 1, weight: 1 }],
    outbound_agent_version: 1,
    inbound_webhook_url: 'https://hooks.example/in',
    is_time_routing_enabled: true,
  }
  expect(await assigned(stage, number, {})).toMatchObject(all)
  // Another agent without a version follows its active version.
  expect(await assigned(stage, number, { outboundAgentId: inbound })).toMatchObject({
    ...all,
    outbound_agents: [{ agent_id: inbound, agent_version: null, weight: 1 }],
    outbound_agent_version: null,
  })
  expect(await assigned(stage, number, { outboundAgentId: null, inboundWebhookUrl: null })).toMatchObject({
    inbound_agent_id: inbound,
    outbound_agents: [],
    inbound_webhook_url: null,
  })
  const nobody = { agent_id: null, inbound_agent_id: null, inbound_agent_version: null, inbound_agents: [] }
  expect(await assigned(stage, number, { inboundAgents: [] })).toMatchObject(nobody)
  expect(await assigned(stage, number, { inboundAgents: null })).toMatchObject(nobody)
})

test('missing weights are filled in, and sums may differ from 1 by a thousandth', async ({ stage }) => {
  const number = await newNumber(stage)
  const [a, b] = await twoAgents(stage)
  const share = async (...weights: (number | undefined)[]) => {
    const inboundAgents = weights.map((weight, index) => ({ agent_id: [a, b][index], weight }))
    return await assigned(stage, number, { inboundAgents })
  }
  expect((await share(undefined, undefined)).inbound_agents.map(({ weight }) => weight)).toEqual([0.5, 0.5])
  const uneven = await share(0.25, undefined)
  expect(uneven.inbound_agents.map(({ weight }) => weight)).toEqual([0.25, 0.75])
  expect(uneven).toMatchObject({ agent_id: b, inbound_agent_id: null, inbound_agent_version: null })
  expect((await share(0.5, 0.4991)).inbound_agents.map(({ weight }) => weight)).toEqual([0.5, 0.4991])
  expect((await share(1)).inbound_agent_id).toBe(a)
})

test('a number moves between the workspaces of an account', async ({ stage }) => {
  const { server, secondWorkspaceId } = stage
  const number = await newNumber(stage)
  const [agent_id] = await twoAgents(stage)
  await assigned(stage, number, { inboundAgents: [{ agent_id, weight: 1 }] })
  const moved = await assigned(stage, number, { workspaceId: secondWorkspaceId })
  expect(moved).toMatchObject({ workspace_id: secondWorkspaceId, inbound_agents: [], agent_id: null })
  expect((await read(server, `/api/numbers/${number}`)).status).toBe(404)
})

test('time routing without windows warns that it has no effect', async ({ stage }) => {
  const number = await newNumber(stage)
  const { message, assignment } = await expectBody(200, assign(stage, number, { isTimeRoutingEnabled: true }))
  expect(assignment.is_time_routing_enabled).toBe(true)
  expect(message).toMatch(/no effect/)
})
