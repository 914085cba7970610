import { expect, test } from 'vitest'
import type { Actor } from '../../../kernel/access/actor.ts'
import { platformAdmin } from '../../route-test-kit.ts'
import { openLiveCalls } from '../live-call-test-kit.ts'

const CREATE = 'POST /api/v1/calls/web'

test('creates a web call that has all given fields and waits for its caller', async () => {
  await using calls = await openLiveCalls()
  const request = {
    agentId: calls.agentId,
    workspaceId: 1,
    metadata: { order: 7 },
    custom_attributes: { team: 'a' },
    service_dynamic_variables: { name: 'Ada', age: 30 },
    dynamicVariables: { name: 'Grace' },
    optOutSensitiveDataStorage: true,
  }
  const { status, body } = await calls.send(CREATE, request)
  expect({ status, success: body.success }).toEqual({ status: 201, success: true })
  expect(body.call).toMatchObject({
    workspaceId: 1,
    callType: 'web_call',
    status: 'registered',
    agentId: calls.agentId,
    agentVersion: 1,
    agentName: 'Front desk',
    metadata: { order: 7 },
    customAttributes: { team: 'a' },
    service_dynamic_variables: { name: 'Grace', age: '30' },
    collectedDynamicVariables: {},
    overrideDynamicVariables: {},
    customAnalysisData: {},
    optOutSensitiveDataStorage: true,
    expiresAt: '2026-01-05T12:10:00.000Z',
    createdAt: '2026-01-05T12:00:00.000Z',
    startedAt: null,
    disconnectionReason: null,
    latency: { e2e: null, model: null },
  })
  const { callId, accessToken, webCallUrl } = body.call
  expect(webCallUrl).toBe(`https://parley.test/call/${callId}#token=${accessToken}`)
  expect(await calls.get(callId)).toEqual(body.call)
  const { transcript: _, ...summary } = body.call
  expect((await calls.send('GET /api/calls')).body.calls).toEqual([summary])
})

test('a call carries the storage settings of its agent and its creator', async () => {
  await using calls = await openLiveCalls({
    events: { getInitialColumns: ({ storage }, optOut) => ({ storage: JSON.stringify({ storage, optOut }) }) },
  })
  await calls.create({ optOutSensitiveDataStorage: true })
  await calls.create()
  const rows = await calls.database.read
    .selectFrom('calls')
    .select(['storage', 'opt_out_storage'])
    .orderBy('call_id')
    .execute()
  expect(rows.map(({ storage, opt_out_storage }) => [JSON.parse(storage ?? ''), opt_out_storage])).toEqual([
    [{ storage: 'everything', optOut: true }, 1],
    [{ storage: 'everything', optOut: false }, 0],
  ])
})

test('freezes the version that a call uses', async () => {
  await using calls = await openLiveCalls()
  await calls.create()
  await calls.patchAgent(calls.agentId, { agent_name: 'Later' })
  expect(await calls.create({ agentVersion: 1 })).toMatchObject({ agentVersion: 1, agentName: 'Front desk' })
  expect(await calls.create()).toMatchObject({ agentVersion: 2, agentName: 'Later' })
})

test('rejects agents that cannot speak', async () => {
  await using calls = await openLiveCalls()
  const chatAgent = await calls.addChatAgent(await calls.addLlm())
  const agentWithoutModel = await calls.addAgent(await calls.addLlm({ model: 'acme/nothing' }))
  const cases = [
    [{ agentId: chatAgent }, 400, 'invalid_request'],
    [{ agentId: agentWithoutModel }, 422, 'model_not_configured'],
    [{ agentId: 'agent_unknown' }, 404, 'not_found'],
    [{ agentId: calls.agentId, agentVersion: 9 }, 404, 'not_found'],
    [{ agentId: calls.agentId, workspaceId: 2 }, 404, 'not_found'],
    [{ agentId: calls.agentId, workspaceId: 77 }, 403, 'workspace_forbidden'],
    [{}, 400, 'invalid_request'],
    [{ agentId: calls.agentId, metadata: { a: 'x'.repeat(60_000) } }, 400, 'invalid_request'],
  ] as const
  for (const [body, status, code] of cases) {
    expect((await calls.send(CREATE, body)).body).toMatchObject({ status, code, success: false })
  }
  expect((await calls.send('GET /api/calls')).body.pagination.total).toBe(0)
})

test('an actor without permission for calls gets no join links', async () => {
  await using calls = await openLiveCalls()
  const { callId } = await calls.create()
  const viewer = new Map([[1, { level: 'viewer' as const, accountSid: 'a' }]])
  calls.actAs({ role: 'end_user', workspaces: viewer })
  expect(await calls.get(callId)).toMatchObject({ accessToken: null, webCallUrl: null, status: 'registered' })
  expect((await calls.send('GET /api/calls')).body.calls).toMatchObject([{ accessToken: null }])
  expect((await calls.send(CREATE, { agentId: calls.agentId })).status).toBe(403)
  calls.actAs({ scopes: new Set(['read']) })
  expect(await calls.get(callId)).toMatchObject({ accessToken: null })
  expect((await calls.send(`POST /api/calls/${callId}/end`)).status).toBe(403)
  calls.actAs({ workspaces: new Map([[2, { level: 'account', accountSid: 'a' }]]) })
  for (const request of ['PATCH /api/calls/x', 'POST /api/calls/x/end', 'POST /api/calls/x/listen']) {
    expect((await calls.send(request.replace('x', callId), {})).status).toBe(404)
  }
  expect((await calls.send(`GET /api/calls/${callId}/transcript`)).status).toBe(404)
  expect((await calls.send(`GET /api/calls/${callId}/events`)).status).toBe(404)
  expect((await calls.send(CREATE, { agentId: calls.agentId })).status).toBe(404)
})

test('rejects calls above the workspace limit and frees their slots after a minute', async () => {
  await using calls = await openLiveCalls()
  const responses = await Promise.all(Array.from({ length: 25 }, () => calls.send(CREATE, { agentId: calls.agentId })))
  const statuses = responses.map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(20)
  const rejected = responses.filter(({ status }) => status === 429)
  expect(rejected).toHaveLength(5)
  expect(rejected[0]).toMatchObject({ headers: { 'retry-after': '5' }, body: { code: 'concurrency_limit_reached' } })
  expect((await calls.send('GET /api/calls')).body.pagination.total).toBe(20)
  await calls.time.advance(59_999)
  expect((await calls.send(CREATE, { agentId: calls.agentId })).status).toBe(429)
  await calls.time.advance(1)
  expect((await calls.send(CREATE, { agentId: calls.agentId })).status).toBe(201)
})

test('an idempotency key creates one call', async () => {
  await using calls = await openLiveCalls()
  const headers = { 'idempotency-key': 'once' }
  const firstResponse = await calls.send(CREATE, { agentId: calls.agentId }, headers)
  const repeatedResponse = await calls.send(CREATE, { agentId: calls.agentId }, headers)
  expect(repeatedResponse.body).toEqual(firstResponse.body)
  expect(repeatedResponse.headers['idempotent-replayed']).toBe('true')
  expect((await calls.send('GET /api/calls')).body.pagination.total).toBe(1)
})

test('a call that nobody joins becomes not_connected after ten minutes, on read and by the sweep', async () => {
  await using calls = await openLiveCalls()
  const [polled, expired] = [await calls.create(), await calls.create()]
  await calls.time.advance(600_000)
  const expiredCall = {
    status: 'not_connected',
    disconnectionReason: 'registered_call_timeout',
    endedAt: '2026-01-05T12:10:00.000Z',
    durationMs: null,
    accessToken: null,
    webCallUrl: null,
  }
  expect(await calls.get(polled.callId)).toMatchObject(expiredCall)
  await calls.node.lostCallRecovery.expireOverdue()
  const row = await calls.database.read
    .selectFrom('calls')
    .select(['status', 'due_at'])
    .where('call_id', '=', expired.callId)
    .executeTakeFirst()
  expect(row).toEqual({ status: 'not_connected', due_at: null })
})

test('ends a waiting call at once and frees its slot', async () => {
  await using calls = await openLiveCalls()
  const { callId } = await calls.create()
  const readSlots = () => calls.database.read.selectFrom('leases').select('lease_id').execute()
  expect(await readSlots()).toHaveLength(1)
  const response = await calls.send(`POST /api/calls/${callId}/end`)
  expect(response).toMatchObject({
    status: 200,
    body: { call: { status: 'not_connected', disconnectionReason: 'manual_stopped', startedAt: null } },
  })
  expect(await readSlots()).toEqual([])
  expect((await calls.send(`POST /api/calls/${callId}/end`)).body).toEqual(response.body)
  expect((await calls.send(`DELETE /api/calls/${callId}`)).status).toBe(204)
  expect((await calls.send(`GET /api/calls/${callId}`)).status).toBe(404)
})

test('updates metadata and attributes before, during and after the call', async () => {
  await using calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create({ metadata: { a: 1 } })
  const patch = async (body: object) => (await calls.send(`PATCH /api/calls/${callId}`, body)).body.call
  expect(await patch({ customAttributes: { b: 2 } })).toMatchObject({ metadata: { a: 1 }, customAttributes: { b: 2 } })
  await calls.node.join(accessToken)
  const changes = { metadata: { c: 3 }, override_dynamic_variables: { n: 4 } }
  expect(await patch(changes)).toMatchObject({ metadata: { c: 3 }, overrideDynamicVariables: { n: '4' } })
  expect(calls.node.commands).toEqual([
    [callId, { type: 'changed', metadata: { c: 3 }, overrideVariables: { n: '4' } }],
  ])
  await calls.node.callEnder.endById(callId, { reason: 'user_hangup' })
  expect(await patch({ metadata: null })).toMatchObject({ status: 'ended', metadata: {} })
  expect(calls.node.commands).toHaveLength(1)
})

test('controls a live call and rejects commands to other calls', async () => {
  await using calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create()
  const control = (body: object) => calls.send(`POST /api/calls/${callId}/control`, body)
  expect((await control({ say: { text: 'Hi' } })).body).toMatchObject({ status: 422, code: 'call_not_live' })
  await calls.node.join(accessToken)
  expect((await control({})).status).toBe(400)
  const body = { say: { text: 'Hi' }, inject: { text: 'He paid.', respond: true }, variables: { paid: true } }
  expect((await control(body)).body.call).toMatchObject({ overrideDynamicVariables: { paid: 'true' } })
  expect((await control({ variables: { due: 5 } })).body.call.overrideDynamicVariables).toEqual({
    paid: 'true',
    due: '5',
  })
  expect(calls.node.commands.map(([, command]) => command)).toMatchObject([
    { type: 'changed', overrideVariables: { paid: 'true' } },
    { type: 'inject', text: 'He paid.', respond: true },
    { type: 'say', text: 'Hi', interruptible: true },
    { type: 'changed', overrideVariables: { paid: 'true', due: '5' } },
  ])
  expect((await calls.send(`DELETE /api/calls/${callId}`)).body.code).toBe('in_use')
  expect((await calls.send(`POST /api/calls/${callId}/end`)).status).toBe(200)
  expect(calls.node.commands.at(-1)).toEqual([callId, { type: 'end' }])
  await calls.node.callEnder.endById(callId, { reason: 'manual_stopped' })
  expect((await control({ say: { text: 'Hi' } })).body.code).toBe('call_not_live')
})

test('a live call can be listened to with a token that cannot join it', async () => {
  await using calls = await openLiveCalls()
  const { callId, accessToken } = await calls.create()
  const listen = () => calls.send(`POST /api/calls/${callId}/listen`)
  expect((await listen()).body.code).toBe('call_not_live')
  await calls.node.join(accessToken)
  const { body } = await listen()
  expect(body).toEqual({ success: true, accessToken: expect.any(String), expiresAt: '2026-01-05T12:10:00.000Z' })
  const { listeners, callers } = calls.node.admissions
  expect(await listeners.admit(body.accessToken)).toMatchObject({ ok: true, callId })
  expect(await callers.admit(body.accessToken)).toMatchObject({ ok: false, code: 'token_invalid' })
  expect(await listeners.admit(accessToken)).toMatchObject({ ok: false, code: 'token_invalid' })
  expect(await calls.addNode('node_b').admissions.listeners.admit(body.accessToken)).toMatchObject({
    code: 'held_elsewhere',
  })
  const limits: (Partial<Actor> | null)[] = [null, { scopes: new Set(['read']) }, { workspaces: new Map() }]
  for (const limit of limits) {
    calls.setListener(limit && { ...platformAdmin, ...limit })
    expect(await listeners.admit(body.accessToken)).toMatchObject({ code: 'token_revoked', retry: false })
  }
  await calls.time.advance(600_000)
  expect(await listeners.admit(body.accessToken)).toMatchObject({ code: 'token_expired' })
})
