import { expect, test } from 'vitest'
import type { SeededCall } from '../../../../../testing/seed-calls.ts'
import { buildCallId, openCalls } from './call-test-kit.ts'

const DAY_MS = 86_400_000
const JAN_1 = Date.UTC(2026, 0, 1)
const buildAgentId = (letter: string) => `agent_${letter.repeat(26)}`

/** One call a day from January 1, with the fields that each filter test requires. */
const CALLS: readonly SeededCall[] = [
  { call_id: buildCallId(1), agent_id: buildAgentId('a'), agent_version: 1 },
  { call_id: buildCallId(2), agent_id: buildAgentId('a'), agent_version: 2, status: 'error' },
  { call_id: buildCallId(3), agent_id: buildAgentId('b'), agent_version: 2, archived_at: 5 },
  { call_id: buildCallId(4), agent_id: buildAgentId('b'), agent_version: 1, parent_call_id: buildCallId(1) },
  {
    call_id: buildCallId(5),
    workspace_id: 2,
    agent_id: buildAgentId('c'),
    status: 'ongoing',
    ended_at: null,
    duration_ms: null,
  },
  { call_id: buildCallId(6), workspace_id: 3, agent_id: buildAgentId('d') },
].map((call, index) => ({ ...call, created_at: JAN_1 + index * DAY_MS }))

const toCallIds = (...numbers: number[]) => numbers.map(buildCallId)

const LIST_CASES: readonly (readonly [string, string[]])[] = [
  ['', toCallIds(5, 4, 2, 1)],
  ['workspaceId=1', toCallIds(4, 2, 1)],
  ['workspace_id=2', toCallIds(5)],
  [`agentId=${buildAgentId('a')}`, toCallIds(2, 1)],
  [`agentId=${buildAgentId('d')}`, []],
  ['status=error', toCallIds(2)],
  ['status=ended', toCallIds(4, 1)],
  [`workspaceId=1&status=ended&agentId=${buildAgentId('b')}`, toCallIds(4)],
  ['startDate=2026-01-02', toCallIds(5, 4, 2)],
  ['endDate=2026-01-02', toCallIds(2, 1)],
  ['from=2026-01-02&to=2026-01-04', toCallIds(4, 2)],
  ['startDate=2026-01-04T00:00:00.001Z', toCallIds(5)],
  ['endDate=2026-01-01T00:00:00Z', toCallIds(1)],
  ['startDate=2026-01-03&endDate=2026-01-01', []],
  [`startDate=2026-01-01&endDate=2026-01-02&status=ended&agentId=${buildAgentId('a')}&workspaceId=1`, toCallIds(1)],
]

const HISTORY_CASES: readonly (readonly [string, string[]])[] = [
  ['', toCallIds(5, 2, 1)],
  ['includeArchived=true', toCallIds(5, 3, 2, 1)],
  ['includeChildCalls=1', toCallIds(5, 4, 2, 1)],
  ['include_archived=1&include_child_calls=true', toCallIds(5, 4, 3, 2, 1)],
  ['includeArchived=false&includeChildCalls=0', toCallIds(5, 2, 1)],
  ['agentVersion=2', toCallIds(2)],
  ['agentVersion=2&includeArchived=true', toCallIds(3, 2)],
  [`agentVersion=1&agentId=${buildAgentId('a')}&status=ended&workspaceId=1&startDate=2026-01-01`, toCallIds(1)],
  ['agentVersion=7', []],
]

test('applies filters separately and combined', async () => {
  await using server = await openCalls(CALLS)
  for (const [query, expected] of LIST_CASES) {
    const response = await server.list(`/api/v1/calls?${query}`)
    expect({ query, ...response }).toEqual({ query, ids: expected, page: 1, limit: 20, total: expected.length })
  }
  for (const [query, expected] of HISTORY_CASES) {
    const response = await server.list(`/api/v1/calls/history?${query}`)
    const pages = expected.length === 0 ? 0 : 1
    expect({ query, ...response }).toEqual({ query, ids: expected, page: 1, limit: 20, total: expected.length, pages })
  }
})

test('rejects invalid filters', async () => {
  await using server = await openCalls()
  const invalidQueries = [
    'page=0',
    'page=x',
    'limit=0',
    'limit=101',
    'status=over',
    'startDate=soon',
    'includeArchived=yes',
    'agentVersion=0',
  ]
  for (const query of invalidQueries) {
    const { status, body } = await server.send(`GET /api/v1/calls/history?${query}`)
    expect({ query, status, ...body }).toMatchObject({
      query,
      status: 400,
      success: false,
      code: 'invalid_request',
      details: [{ path: query.split('=')[0] }],
    })
  }
})

test('paginates to the end without gaps or duplicates, even with equal times', async () => {
  const seeded = Array.from({ length: 47 }, (_, index) => ({
    call_id: buildCallId(index),
    workspace_id: 1 + (index % 2),
    created_at: JAN_1 + Math.floor(index / 5),
  }))
  await using server = await openCalls(seeded)
  for (const path of ['/api/v1/calls?', '/api/calls/history?', '/api/calls/history?search=0000&']) {
    const seen: string[] = []
    for (let page = 1; page <= 5; page += 1) {
      const response = await server.list(`${path}limit=10&page=${page}`)
      expect(response).toMatchObject({ page, limit: 10, total: 47 })
      seen.push(...response.ids)
    }
    expect(seen).toHaveLength(47)
    expect(new Set(seen).size).toBe(47)
    expect((await server.list(`${path}limit=10&page=6`)).ids).toEqual([])
    expect((await server.list(`${path}page=2147483647&limit=100`)).ids).toEqual([])
  }
})

test('returns a call in the list, by id and in the history', async () => {
  await using server = await openCalls([
    {
      call_id: buildCallId(1),
      created_at: JAN_1,
      started_at: JAN_1 + 500,
      ended_at: JAN_1 + 62_000,
      duration_ms: 61_500,
      call_sid: 'CA1',
      customer_name: 'Ann Lee',
      sentiment: 'Positive',
      successful: 1,
      summary: 'Booked.',
      disconnection_reason: 'user_hangup',
      latency: '{"e2e":{"p50":780,"p90":1,"p95":1,"p99":1,"min":1,"max":1,"num":2}}',
      recording_url: 'https://example.com/1.wav',
      cost_voice: 70_000,
      cost_llm: 1_234,
      cost_gross: 71_234,
      metadata: '{"order":7}',
      given_variables: '{"name":"Ann"}',
      transcript: 'Agent: Hello',
    },
    {
      call_id: buildCallId(2),
      created_at: JAN_1 + 1,
      call_type: 'web_call',
      direction: null,
      started_at: null,
      duration_ms: null,
    },
  ])
  const detail = await server.send(`GET /api/v1/calls/${buildCallId(1)}`)
  expect(detail).toMatchObject({
    status: 200,
    body: {
      success: true,
      call: {
        callId: buildCallId(1),
        callType: 'phone_call',
        status: 'ended',
        metadata: { order: 7 },
        service_dynamic_variables: { name: 'Ann' },
        optOutSensitiveDataStorage: false,
        accessToken: null,
        expiresAt: null,
        webCallUrl: null,
        startedAt: '2026-01-01T00:00:00.500Z',
        durationMs: 61_500,
        transcript: 'Agent: Hello',
        successful: true,
        costs: { voice: 0.07, llm: 0.001234, gross: 0.071234, total: null },
      },
    },
  })
  const { transcript: _transcript, ...summary } = detail.body.call
  const listed = await server.send('GET /api/calls')
  expect(listed.body.calls[1]).toEqual(summary)
  const history = await server.send('GET /api/v1/calls/history')
  expect(history.body.calls[0]).toMatchObject({
    callSid: buildCallId(2),
    duration: null,
    startedAt: null,
    direction: null,
    successful: null,
    latencyP50Ms: null,
  })
  expect(history.body.calls[1]).toEqual({
    callSid: 'CA1',
    callId: buildCallId(1),
    callStatus: 'ended',
    agentId: buildAgentId('a'),
    agentVersion: 1,
    agentName: 'Front desk',
    workspaceId: 1,
    workspaceName: 'Workspace 1',
    fromNumber: '+15550100001',
    toNumber: '+15550199999',
    direction: 'inbound',
    customerName: 'Ann Lee',
    duration: 62,
    durationMs: 61_500,
    disconnectionReason: 'user_hangup',
    startedAt: '2026-01-01T00:00:00.500Z',
    recordingUrl: 'https://example.com/1.wav',
    sentiment: 'Positive',
    successful: true,
    summary: 'Booked.',
    latencyP50Ms: 780,
    costs: { voice: 0.07, llm: 0.001234, gross: 0.071234, total: null },
    archivedAt: null,
    parentCallId: null,
  })
})

test('archiving removes a call from lists, and unarchiving restores it', async () => {
  await using server = await openCalls(CALLS)
  const path = `/api/v1/calls/${buildCallId(1)}/archive`
  const archived = await server.send(`POST ${path}`)
  expect(archived).toMatchObject({ status: 200, body: { success: true, call: { callId: buildCallId(1) } } })
  expect(archived.body.call.archivedAt).not.toBeNull()
  expect((await server.send(`POST ${path}`, { archived: true })).body.call.archivedAt).toBe(
    archived.body.call.archivedAt,
  )
  expect((await server.list('/api/calls?workspaceId=1')).ids).toEqual(toCallIds(4, 2))
  expect(await server.list('/api/calls/history?workspaceId=1&search=front')).toMatchObject({
    ids: toCallIds(2),
    total: 1,
  })
  expect((await server.send(`POST ${path}`, { archived: false })).body.call.archivedAt).toBeNull()
  expect((await server.list('/api/calls?workspaceId=1')).ids).toEqual(toCallIds(4, 2, 1))
})

test('only an ended call can be deleted', async () => {
  await using server = await openCalls(CALLS)
  expect(await server.send(`DELETE /api/v1/calls/${buildCallId(5)}`)).toMatchObject({
    status: 422,
    body: { code: 'in_use' },
  })
  expect(await server.send(`DELETE /api/v1/calls/${buildCallId(2)}`)).toMatchObject({ status: 204, body: null })
  expect((await server.send(`DELETE /api/v1/calls/${buildCallId(2)}`)).status).toBe(404)
  expect(await server.list('/api/calls?workspaceId=1')).toMatchObject({ ids: toCallIds(4, 1), total: 2 })
  expect(await server.list('/api/calls/history?search=0002')).toMatchObject({ ids: [], total: 0 })
})

test("returns 404 for another tenant's call and 403 for a level that is too low", async () => {
  await using server = await openCalls(CALLS)
  const sendRequest = async (request: string) => {
    const { status, body } = await server.send(request)
    return { status, code: body?.code, success: body?.success }
  }
  const missing = { status: 404, code: 'not_found', success: false }
  for (const callId of [buildCallId(6), buildCallId(99)]) {
    expect(await sendRequest(`GET /api/v1/calls/${callId}`)).toEqual(missing)
    expect(await sendRequest(`POST /api/v1/calls/${callId}/archive`)).toEqual(missing)
    expect(await sendRequest(`DELETE /api/v1/calls/${callId}`)).toEqual(missing)
  }
  const account = { accountSid: 'x' }
  server.actAs({
    role: 'end_user',
    workspaces: new Map([
      [1, { ...account, level: 'viewer' }],
      [2, { ...account, level: 'admin' }],
    ]),
  })
  const forbidden = { status: 403, code: 'forbidden', success: false }
  expect((await sendRequest(`GET /api/v1/calls/${buildCallId(1)}`)).status).toBe(200)
  expect(await sendRequest(`POST /api/v1/calls/${buildCallId(1)}/archive`)).toEqual(forbidden)
  expect(await sendRequest(`DELETE /api/v1/calls/${buildCallId(1)}`)).toEqual(forbidden)
  expect((await sendRequest(`POST /api/v1/calls/${buildCallId(5)}/archive`)).status).toBe(200)
  expect(await sendRequest('GET /api/v1/calls?workspaceId=3')).toEqual({ ...forbidden, code: 'workspace_forbidden' })
  server.actAs({ role: 'end_user', workspaces: new Map() })
  expect(await server.list('/api/v1/calls')).toMatchObject({ ids: [], total: 0 })
  expect(await server.list('/api/v1/calls/history?search=desk')).toMatchObject({ ids: [], total: 0, pages: 0 })
})
