import { expect, test } from 'vitest'
import { SEEDED_TENANT } from '../../../../../testing/seed-workspaces.ts'
import { everywhere, OTHER_TENANT_SID, openNumbers } from './number-test-kit.ts'

const MUNICH = '+4989123456'

test('returns every field of a new number', async () => {
  await using numbers = await openNumbers()
  const created = await numbers.send('POST /api/numbers', {
    workspaceId: 1,
    number: '+49 (89) 123-456',
    nickname: 'Desk',
  })
  expect(created).toMatchObject({ status: 201, etag: '"1"' })
  expect(created.body).toEqual({
    id: 1,
    number: MUNICH,
    base_number: '4989123456',
    account_sid: SEEDED_TENANT,
    workspace_id: 1,
    agent_id: null,
    default_agent_id: null,
    inbound_agent_id: null,
    inbound_agents: [],
    outbound_agents: [],
    inbound_agent_version: null,
    outbound_agent_version: null,
    application_sid: '00000000-0000-4000-8000-000000000001',
    phone_number_sid: '00000000-0000-4000-8000-000000000002',
    inbound_webhook_url: null,
    is_time_routing_enabled: false,
    platform_import_error: false,
    platform_import_error_message: null,
    verified_by: null,
    provider: 'loopback',
    nickname: 'Desk',
    sticky: true,
    time_routing: null,
    fallback_number: null,
    termination_uri: null,
    has_credentials: false,
    created_at: '2026-01-05T12:00:00.000Z',
    updated_at: '2026-01-05T12:00:00.000Z',
  })
})

test('finds a number in any notation, only within its workspace', async () => {
  await using numbers = await openNumbers()
  const { send, addNumber } = numbers
  await addNumber(MUNICH)
  for (const spelling of [MUNICH, '%2B4989123456', '4989123456', '+49%2089%20123-456', '(49)89.123456']) {
    expect(await send(`GET /api/numbers/${spelling}?workspaceId=1`), spelling).toMatchObject({
      status: 200,
      etag: '"1"',
      body: { number: MUNICH },
    })
  }
  for (const unknownNumber of ['+4989123457', '1', 'import', '+', '٤٩٨٩١٢٣٤٥٦', '9'.repeat(16)]) {
    const { status } = await send(`GET /api/numbers/${encodeURIComponent(unknownNumber)}?workspaceId=1`)
    expect(status, unknownNumber).toBe(404)
  }
  expect((await send(`GET /api/v1/numbers/${MUNICH}?workspaceId=2`)).status).toBe(404)
})

test('an account can add a number once, and other accounts can add it too', async () => {
  await using numbers = await openNumbers()
  const { send, addNumber, actAs } = numbers
  actAs(everywhere)
  await addNumber(MUNICH)
  for (const workspaceId of [1, 2]) {
    const duplicate = await send('POST /api/numbers', { workspaceId, number: '+49 89 123456' })
    expect(duplicate).toMatchObject({ status: 422, body: { code: 'id_taken', details: [{ path: 'number' }] } })
  }
  expect(await addNumber(MUNICH, { workspaceId: 3 })).toMatchObject({ id: 2, workspace_id: 3, verified_by: null })
  await send(`PATCH /api/numbers/${MUNICH}`, { workspaceId: 3, nickname: 'Three' })
  expect((await send(`GET /api/numbers/${MUNICH}?workspaceId=1`)).body).toMatchObject({ id: 1, nickname: null })
  expect((await send(`DELETE /api/numbers/${MUNICH}?workspaceId=3`)).status).toBe(204)
  expect((await send(`GET /api/numbers/${MUNICH}?workspaceId=1`)).status).toBe(200)
})

test('at most one account has a number verified, and a carrier does not override the operator', async () => {
  await using numbers = await openNumbers({
    carriers: { importNumber: async ({ provider }) => ({ error: null, isConfirmed: provider === 'twilio' }) },
  })
  const { send, addNumber, actAs } = numbers
  actAs(everywhere)
  const verifiedBy = async () =>
    await Promise.all(
      [1, 3].map(async (id) => (await send(`GET /api/numbers/${MUNICH}?workspaceId=${id}`)).body.verified_by),
    )
  const verify = async (workspaceId: number) => await send(`POST /api/numbers/${MUNICH}/verify`, { workspaceId })
  await addNumber(MUNICH)
  const imported = { workspaceId: 3, provider: 'twilio' }
  expect(await addNumber(MUNICH, imported)).toMatchObject({ verified_by: 'carrier', platform_import_error: false })
  expect(await verifiedBy()).toEqual([null, 'carrier'])
  expect(await verify(1)).toMatchObject({ status: 200, body: { verified_by: 'operator' } })
  expect(await verifiedBy()).toEqual(['operator', null])
  await send(`DELETE /api/numbers/${MUNICH}?workspaceId=3`)
  expect(await addNumber(MUNICH, imported)).toMatchObject({ verified_by: null })
  expect(await verifiedBy()).toEqual(['operator', null])
  expect((await verify(3)).status).toBe(200)
  expect(await verifiedBy()).toEqual([null, 'operator'])
  actAs({ ...everywhere, role: 'tenant_admin' })
  expect((await verify(1)).body.code).toBe('forbidden')
})

test('ids of deleted numbers are not reused', async () => {
  await using numbers = await openNumbers()
  const { send, addNumber } = numbers
  await addNumber(MUNICH)
  expect((await addNumber('+15550100200')).id).toBe(2)
  expect((await send('DELETE /api/numbers/+15550100200?workspaceId=1')).status).toBe(204)
  expect((await send('GET /api/numbers/+15550100200?workspaceId=1')).status).toBe(404)
  expect((await addNumber('+15550100200')).id).toBe(3)
})

test.each([
  ['no country code', { number: '0891234567' }, ['number']],
  ['too short', { number: '+491234' }, ['number']],
  ['letters', { number: '+49CALLME12' }, ['number']],
  ['an extension at a carrier', { number: '101', provider: 'twilio' }, ['number']],
  ['unknown provider', { number: MUNICH, provider: 'pigeon' }, ['provider']],
  ['everything', { number: 5, provider: 1, nickname: {} }, ['number', 'nickname', 'provider']],
])('rejects an invalid number: %s', async (_, body, paths) => {
  await using numbers = await openNumbers()
  const response = await numbers.send('POST /api/numbers', { workspaceId: 1, ...body })
  expect(response.status).toBe(400)
  expect(response.body.details.map(({ path }: { path: string }) => path)).toEqual(paths)
})

test('extensions are numbers of loopback and SIP', async () => {
  await using numbers = await openNumbers()
  expect(await numbers.addNumber('101')).toMatchObject({ number: '101', base_number: '101' })
  expect(await numbers.addNumber('102', { provider: 'sip' })).toMatchObject({ number: '102', provider: 'sip' })
})

test('hides the credentials of an imported number', async () => {
  await using numbers = await openNumbers()
  const imported = await numbers.send('POST /api/numbers/import', {
    workspaceId: 1,
    number: MUNICH,
    termination_uri: 'sip:trunk.example.com:5061;transport=tls',
    authUsername: 'hello',
    auth_password: 'open sesame',
  })
  expect(imported).toMatchObject({
    status: 201,
    body: {
      provider: 'sip',
      termination_uri: 'sip:trunk.example.com:5061;transport=tls',
      has_credentials: true,
      platform_import_error: false,
    },
  })
  expect(JSON.stringify(imported.body)).not.toMatch(/sesame|"hello"/)
  const { credentials } = await numbers.database.read
    .selectFrom('phone_numbers')
    .select('credentials')
    .executeTakeFirstOrThrow()
  expect(credentials).toMatch(/^number-credentials:/)
  expect(credentials).not.toContain('sesame')
})

test('reports missing import fields one by one', async () => {
  await using numbers = await openNumbers()
  const response = await numbers.send('POST /api/numbers/import', { workspaceId: 1, number: MUNICH, authUsername: 'x' })
  expect(response.body.details.map(({ path }: { path: string }) => path)).toEqual(['terminationUri', 'authPassword'])
  const uri = 'sip:user:secret@trunk.example.com'
  const withPassword = await numbers.send('POST /api/numbers/import', {
    workspaceId: 1,
    number: MUNICH,
    terminationUri: uri,
  })
  expect(withPassword.body.details).toMatchObject([{ path: 'terminationUri' }])
  const loopback = await numbers.send('POST /api/numbers/import', {
    workspaceId: 1,
    number: MUNICH,
    provider: 'loopback',
  })
  expect(loopback.body.details).toMatchObject([{ path: 'provider' }])
})

test('an unsupported carrier is reported on the record rather than as an error', async () => {
  await using numbers = await openNumbers()
  const created = await numbers.addNumber(MUNICH, { provider: 'telnyx' })
  const sentence = 'This server has no connection to telnyx yet, so calls to the number will not arrive.'
  expect(created).toMatchObject({ platform_import_error: true, platform_import_error_message: sentence })
  const assigned = await numbers.assign(MUNICH, { inboundAgents: [{ agent_id: 'agent_a' }] })
  expect(assigned).toMatchObject({
    status: 200,
    body: {
      success: true,
      message: expect.stringContaining(sentence),
      numbers: [{ agent_id: 'agent_a', platform_import_error: true }],
      assignment: { platform_import_error: true, platform_import_error_message: sentence },
    },
  })
})

test('assigning agents repeats a failed import until it works', async () => {
  const errors = ['busy', 'still busy', null]
  let importCount = 0
  await using numbers = await openNumbers({
    carriers: { importNumber: async () => ({ error: errors[importCount++] ?? null, isConfirmed: false }) },
  })
  expect(await numbers.addNumber(MUNICH)).toMatchObject({ platform_import_error_message: 'busy' })
  const secondAssignment = await numbers.assign(MUNICH, {})
  expect(secondAssignment).toMatchObject({
    etag: '"1"',
    body: { numbers: [{ platform_import_error_message: 'still busy' }] },
  })
  expect((await numbers.assign(MUNICH, {})).body.assignment).toMatchObject({
    platform_import_error: false,
    platform_import_error_message: null,
  })
  await numbers.assign(MUNICH, {})
  expect(importCount).toBe(3)
  expect((await numbers.send(`GET /api/numbers/${MUNICH}?workspaceId=1`)).body.platform_import_error).toBe(false)
})

test('lists page by page, newest first, and by agent', async () => {
  await using numbers = await openNumbers()
  const { send, addNumber, assign } = numbers
  await addNumber('101')
  await addNumber('102')
  await addNumber('103')
  await addNumber('201', { workspaceId: 2 })
  await assign('101', { outboundAgentId: 'agent_a' })
  const window = { days: ['mon'], start: '08:00', end: '24:00', agent_id: 'agent_a' }
  await send('PATCH /api/numbers/102', { workspaceId: 1, time_routing: { timezone: 'UTC', windows: [window] } })
  await send('PATCH /api/numbers/103', { workspaceId: 1, default_agent_id: 'agent_b' })
  const listed = async (query: string) => {
    const response = await send(`GET /api/numbers?workspaceId=1${query}`)
    return { ids: response.body.map(({ number }: { number: string }) => number), next: response.next }
  }
  expect(await listed('')).toEqual({ ids: ['103', '102', '101'], next: undefined })
  const firstPage = await listed('&limit=2')
  expect(firstPage.ids).toEqual(['103', '102'])
  expect(await listed(`&limit=2&paginationKey=${firstPage.next}`)).toEqual({ ids: ['101'], next: undefined })
  expect((await listed('&agent_id=agent_a')).ids).toEqual(['102', '101'])
  expect((await listed('&agentId=agent_b')).ids).toEqual(['103'])
  expect((await listed('&agentId=agent__')).ids).toEqual([])
  expect((await send('GET /api/numbers?workspaceId=1&paginationKey=nonsense')).status).toBe(400)
})

test('PATCH keeps absent fields, clears with null and counts no edit without changes', async () => {
  await using numbers = await openNumbers()
  const { send, addNumber, advance } = numbers
  await addNumber(MUNICH)
  await advance(1000)
  const path = `/api/numbers/${MUNICH}`
  const settings = {
    nickname: 'Desk',
    default_agent_id: 'agent_a',
    sticky: false,
    inbound_webhook_url: 'https://example.com/hook',
    is_time_routing_enabled: true,
    time_routing: {
      timezone: 'Europe/Berlin',
      windows: [{ days: ['mon', 'fri'], start: '08:00', end: '17:30', agent_id: 'agent_b', agent_version: 2 }],
      fallback_agent_id: 'agent_c',
    },
    fallback_number: '+49891',
  }
  expect(await send(`PATCH ${path}`, { workspaceId: 1, ...settings })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'fallback_number' }] },
  })
  const edited = await send(`PATCH ${path}`, { workspaceId: 1, ...settings, fallback_number: '+49 89 999 999' })
  expect(edited).toMatchObject({
    status: 200,
    etag: '"2"',
    body: { ...settings, fallback_number: '+4989999999', agent_id: 'agent_a', updated_at: '2026-01-05T12:00:01.000Z' },
  })
  expect(numbers.frozen).toEqual(['agent_b@2'])
  expect(await send(`PATCH ${path}`, { workspaceId: 1, nickname: 'Desk' })).toMatchObject({ etag: '"2"' })
  expect(
    await send(`PATCH ${path}`, { workspaceId: 1, timeRouting: null, sticky: null, nickname: null }),
  ).toMatchObject({
    etag: '"3"',
    body: { time_routing: null, sticky: true, nickname: null, is_time_routing_enabled: true },
  })
  expect(await send(`PATCH ${path}`, { workspaceId: 1, fallback_number: '+49-89-123456' })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'fallback_number' }] },
  })
})

test('PATCH names every unknown agent', async () => {
  await using numbers = await openNumbers()
  await numbers.addNumber(MUNICH)
  const windows = [
    { days: ['sun'], start: '00:00', end: '24:00', agent_id: 'agent_a', agent_version: 9 },
    { days: ['sat'], start: '00:00', end: '24:00', agent_id: 'agent_d' },
  ]
  const response = await numbers.send(`PATCH /api/numbers/${MUNICH}`, {
    workspaceId: 1,
    default_agent_id: 'agent_x',
    time_routing: { timezone: 'UTC', windows },
  })
  expect(response).toMatchObject({
    status: 404,
    body: { code: 'not_found', error: expect.stringContaining('agent_x') },
  })
  expect(response.body.details.map(({ path }: { path: string }) => path)).toEqual([
    'default_agent_id',
    'time_routing.windows[0].agent_id',
    'time_routing.windows[1].agent_id',
  ])
})

test.each([
  ['across midnight', { start: '22:00', end: '06:00' }, 'time_routing.windows[0].end'],
  ['no time', { end: '25:00' }, 'time_routing.windows[0].end'],
  ['the same day twice', { days: ['mon', 'mon'] }, 'time_routing.windows[0].days'],
  ['no day', { days: [] }, 'time_routing.windows[0].days'],
])('rejects an invalid window: %s', async (_, changes, path) => {
  await using numbers = await openNumbers()
  await numbers.addNumber(MUNICH)
  const window = { days: ['mon'], start: '08:00', end: '17:00', agent_id: 'agent_a', ...changes }
  const body = { workspaceId: 1, time_routing: { timezone: 'UTC', windows: [window] } }
  const response = await numbers.send(`PATCH /api/numbers/${MUNICH}`, body)
  expect(response).toMatchObject({ status: 400, body: { details: [{ path }] } })
})

test('rejects edits with a stale ETag', async () => {
  await using numbers = await openNumbers()
  const { send, addNumber, assign } = numbers
  await addNumber(MUNICH)
  expect(await assign(MUNICH, { outboundAgentId: 'agent_a' }, { 'if-match': '"1"' })).toMatchObject({ etag: '"2"' })
  const stale = { 'if-match': '"1"' }
  const path = `/api/numbers/${MUNICH}`
  for (const response of [
    await assign(MUNICH, { outboundAgentId: null }, stale),
    await send(`PATCH ${path}`, { workspaceId: 1, nickname: 'x' }, stale),
    await send(`DELETE ${path}?workspaceId=1`, undefined, stale),
  ]) {
    expect(response).toMatchObject({ status: 412, body: { code: 'version_conflict' } })
  }
  expect((await send(`DELETE ${path}?workspaceId=1`, undefined, { 'if-match': '"2"' })).status).toBe(204)
})

test('viewers read but cannot write', async () => {
  await using numbers = await openNumbers()
  await numbers.addNumber(MUNICH)
  const workspaces = new Map([[1, { level: 'viewer' as const, accountSid: SEEDED_TENANT }]])
  numbers.actAs({ role: 'end_user', workspaces })
  expect((await numbers.send('GET /api/numbers?workspaceId=1')).status).toBe(200)
  expect((await numbers.assign(MUNICH, {})).status).toBe(403)
  expect((await numbers.assign(MUNICH, { workspaceId: 3, accountSid: OTHER_TENANT_SID })).status).toBe(403)
})
