import { describe, expect, test } from 'vitest'
import type { Actor } from '../../kernel/access/actor.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { registerVendorKeyRoutes } from './vendor-key-service.ts'
import {
  FOREIGN_TENANT,
  MEMBER,
  OTHER_RESELLER,
  openVendorKeys,
  PLATFORM_ADMIN,
  RESELLER,
  RESELLER_ADMIN,
  SISTER_TENANT,
  TENANT,
  TENANT_ADMIN,
} from './vendor-key-test-kit.ts'

const PATH = '/api/provider-keys'
const SECRET = 'sk-never-to-be-seen-abcd'

async function openServer(actor: Actor = PLATFORM_ADMIN) {
  const feature = await openVendorKeys()
  const { database, makeId, time, service } = feature
  const routes = openRoutes({ database, clock: time.clock, makeId }, (api) => registerVendorKeyRoutes(api, service))
  routes.actAs(actor)
  const { send } = routes
  return {
    ...feature,
    ...routes,
    create: (owner: object, body: object = {}) =>
      send(`POST ${PATH}`, { service: 'openai', apiKey: SECRET, ...owner, ...body }),
    [Symbol.asyncDispose]: disposeAll(routes, feature),
  }
}

test('creates, reads, updates and deletes a key without ever returning it', async () => {
  await using server = await openServer()
  const { create, send, time } = server
  const created = await create({ workspaceId: 1 })
  const providerKeyId = created.body.providerKeyId
  const key = {
    providerKeyId,
    service: 'openai',
    workspaceId: 1,
    tenantId: null,
    providerId: null,
    lastFour: 'abcd',
    baseUrl: null,
    createdAt: '2026-01-05T12:00:00.000Z',
    updatedAt: '2026-01-05T12:00:00.000Z',
  }
  expect(created).toMatchObject({ status: 201, body: key })
  expect(Object.keys(created.body)).toEqual(Object.keys(key))
  expect((await send(`GET ${PATH}?workspaceId=1`)).body).toEqual([key])

  await time.advance(1000)
  const patched = await send(`PATCH ${PATH}/${providerKeyId}`, {
    api_key: `${SECRET}-efgh`,
    base_url: 'https://m.example.com/v1',
  })
  const changed = {
    ...key,
    lastFour: 'efgh',
    baseUrl: 'https://m.example.com/v1',
    updatedAt: '2026-01-05T12:00:01.000Z',
  }
  expect(patched).toMatchObject({ status: 200, body: changed })
  expect((await send(`PATCH ${PATH}/${providerKeyId}`, {})).body).toEqual(changed)
  const answers = JSON.stringify([created, patched, await send(`GET ${PATH}`), server.audited])
  expect(answers).not.toContain('never-to-be-seen')

  expect(await send(`DELETE ${PATH}/${providerKeyId}`)).toMatchObject({ status: 204, body: null })
  expect((await send(`GET ${PATH}`)).body).toEqual([])
  for (const line of [`DELETE ${PATH}/${providerKeyId}`, `PATCH ${PATH}/${providerKeyId}`]) {
    expect(await send(line)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  }
})

describe('the base URL of a key', () => {
  test('moves to another server only together with the key', async () => {
    await using server = await openServer()
    const { create, send } = server
    const { providerKeyId } = (await create({ workspaceId: 1 })).body
    const patch = (body: object) => send(`PATCH ${PATH}/${providerKeyId}`, body)
    const refusal = { status: 400, body: { code: 'invalid_request', details: [{ path: 'apiKey' }] } }
    expect(await patch({ baseUrl: 'https://thief.example.com/v1' })).toMatchObject(refusal)
    expect(await patch({ baseUrl: 'https://m.example.com/v1', apiKey: SECRET })).toMatchObject({ status: 200 })
    expect(await patch({ baseUrl: 'https://thief.example.com/v1' })).toMatchObject(refusal)
    expect(await patch({ baseUrl: 'http://m.example.com/v1' })).toMatchObject(refusal)
    expect(await patch({ baseUrl: 'https://m.example.com/v2' })).toMatchObject({ status: 200 })
    expect(await patch({ baseUrl: null })).toMatchObject({ status: 200, body: { baseUrl: null } })
    expect(await server.keys.findKey(1, 'openai')).toEqual({
      apiKey: SECRET,
      baseUrl: null,
      isStored: true,
      isShared: false,
    })
  })

  test.each([
    'ftp://example.com',
    'example.com/v1',
    'https://user:password@example.com',
    'https://example.com/#part',
    'javascript:alert(1)',
    'http:example.com',
    `https://example.com/${'x'.repeat(2000)}`,
  ])('is rejected as %s', async (baseUrl) => {
    await using server = await openServer()
    const refused = await server.create({ workspaceId: 1 }, { baseUrl })
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'baseUrl' }] } })
    expect(JSON.stringify(refused.body)).not.toContain('password@')
  })
})

test('reports all problems of a body at once, without the key', async () => {
  await using server = await openServer()
  const body = { service: 'other', apiKey: 'key with spaces', workspaceId: 1, tenantId: TENANT, baseUrl: 'x' }
  const refused = await server.send(`POST ${PATH}`, body)
  expect(refused.status).toBe(400)
  expect(refused.body.details.map((detail: { path: string }) => detail.path)).toEqual([
    'service',
    'apiKey',
    'baseUrl',
    '',
  ])
  expect(JSON.stringify(refused.body)).not.toContain('spaces')
  const noOwner = await server.create({ workspaceId: null })
  expect(noOwner).toMatchObject({ status: 400, body: { details: [{ path: '' }] } })
  const bad: readonly object[] = [{ workspaceId: '1' }, { workspaceId: 0 }, { workspaceId: 2 ** 31 }, { tenantId: '' }]
  for (const owner of bad) expect((await server.create(owner)).status).toBe(400)
  for (const apiKey of ['1234567', 'x'.repeat(501), 'schlüssel1', '', null, 7]) {
    expect((await server.create({ workspaceId: 1 }, { apiKey })).status).toBe(400)
  }
})

test('an owner has one key per service', async () => {
  await using server = await openServer()
  const owners = [{ workspaceId: 1 }, { tenantId: TENANT }, { providerId: RESELLER }]
  for (const owner of owners) {
    expect((await server.create(owner)).status).toBe(201)
    expect((await server.create(owner, { service: 'cartesia' })).status).toBe(201)
    expect(await server.create(owner)).toMatchObject({ status: 422, body: { code: 'id_taken' } })
  }
  expect((await server.create({ workspaceId: 2 })).status).toBe(201)
  expect((await server.send(`GET ${PATH}`)).body).toHaveLength(7)
})

test('rejects the second of two concurrent creations', async () => {
  await using server = await openServer()
  const statuses = (await Promise.all([1, 2, 3].map(() => server.create({ workspaceId: 1 })))).map(
    ({ status }) => status,
  )
  expect(statuses.sort()).toEqual([201, 422, 422])
})

const ALL_OWNERS = [
  ['workspace 1', { workspaceId: 1 }],
  ['workspace 2', { workspaceId: 2 }],
  ['workspace 4', { workspaceId: 4 }],
  ['workspace 99', { workspaceId: 99 }],
  ['tenant', { tenantId: TENANT }],
  ['foreign tenant', { tenantId: FOREIGN_TENANT }],
  ['unknown tenant', { tenantId: 'nobody' }],
  ['provider', { providerId: RESELLER }],
  ['other provider', { providerId: OTHER_RESELLER }],
  ['unknown provider', { providerId: 'nobody' }],
] as const

const CREATED = 201
const OUT_OF_REACH = 'workspace_forbidden'
const FORBIDDEN = 'forbidden'

describe.each([
  [
    'platform_admin',
    PLATFORM_ADMIN,
    [CREATED, CREATED, CREATED, OUT_OF_REACH, CREATED, CREATED, FORBIDDEN, CREATED, CREATED, FORBIDDEN],
  ],
  [
    'provider_admin',
    RESELLER_ADMIN,
    [CREATED, CREATED, OUT_OF_REACH, OUT_OF_REACH, CREATED, FORBIDDEN, FORBIDDEN, CREATED, FORBIDDEN, FORBIDDEN],
  ],
  [
    'tenant_admin',
    TENANT_ADMIN,
    [CREATED, CREATED, OUT_OF_REACH, OUT_OF_REACH, CREATED, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN],
  ],
  [
    'admin of workspace 1, editor of 2',
    MEMBER,
    [CREATED, FORBIDDEN, OUT_OF_REACH, OUT_OF_REACH, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN],
  ],
] as const)('a %s', (_who, actor, expected) => {
  test('stores keys for owners it administers', async () => {
    await using server = await openServer(actor)
    const outcomes = []
    for (const [name, owner] of ALL_OWNERS) {
      const { status, body } = await server.create(owner)
      outcomes.push([name, status === 201 ? CREATED : body.code])
      if (status !== 201) expect(status).toBe(403)
    }
    expect(outcomes).toEqual(ALL_OWNERS.map(([name], index) => [name, expected[index]]))
  })

  test('sees and changes those keys only', async () => {
    await using server = await openServer(PLATFORM_ADMIN)
    const stored: { id: string; may: boolean; query: string }[] = []
    for (const [index, [, owner]] of ALL_OWNERS.entries()) {
      const { status, body } = await server.create(owner)
      const query = new URLSearchParams(owner as unknown as Record<string, string>).toString()
      if (status === 201) stored.push({ id: body.providerKeyId, may: expected[index] === CREATED, query })
    }
    server.actAs(actor)
    const visible = stored.filter(({ may }) => may).map(({ id }) => id)
    const idsOf = (body: { providerKeyId: string }[]) => body.map(({ providerKeyId }) => providerKeyId)
    expect(idsOf((await server.send(`GET ${PATH}`)).body).sort()).toEqual(visible.sort())
    for (const { id, may, query } of stored) {
      const listed = await server.send(`GET ${PATH}?${query}`)
      expect(may ? idsOf(listed.body) : listed.status).toEqual(may ? [id] : 403)
      const patched = await server.send(`PATCH ${PATH}/${id}`, { apiKey: 'another-key-1' })
      expect([id, patched.status]).toEqual([id, may ? 200 : 404])
      expect((await server.send(`DELETE ${PATH}/${id}`)).status).toBe(may ? 204 : 404)
    }
    const left = await server.database.read.selectFrom('provider_keys').select('provider_key_id').execute()
    expect(left).toHaveLength(stored.length - visible.length)
  })
})

test('requires the scope and more than the viewer level', async () => {
  await using server = await openServer()
  for (const changes of [
    { ...PLATFORM_ADMIN, scopes: new Set(['read', 'write', 'calls'] as const) },
    { ...MEMBER, workspaces: new Map([[1, { level: 'viewer' as const, accountSid: TENANT }]]) },
  ]) {
    server.actAs(changes)
    expect(await server.create({ workspaceId: 1 })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await server.send(`GET ${PATH}`)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  }
})

test('context headers narrow the managed owners', async () => {
  await using server = await openServer()
  const { create, send } = server
  const owners = [
    { workspaceId: 1 },
    { workspaceId: 3 },
    { tenantId: TENANT },
    { tenantId: SISTER_TENANT },
    { providerId: RESELLER },
  ]
  const [, , tenantKey = '', sisterTenantKey = ''] = await Promise.all(
    owners.map(async (owner) => (await create(owner)).body.providerKeyId as string),
  )
  const headers = { 'x-tenant-id': TENANT }
  expect((await send(`GET ${PATH}`, undefined, headers)).body).toHaveLength(2)
  expect((await send(`PATCH ${PATH}/${sisterTenantKey}`, { apiKey: 'another-key-1' }, headers)).status).toBe(404)
  expect((await send(`PATCH ${PATH}/${tenantKey}`, { apiKey: 'another-key-1' }, headers)).status).toBe(200)
  const again = { service: 'cartesia', apiKey: SECRET }
  const inTenant = async (owner: object) =>
    (await send(`POST ${PATH}`, { ...again, ...owner }, headers)).body.code ?? 201
  expect(await Promise.all(owners.map(inTenant))).toEqual([201, 'workspace_forbidden', 201, 'forbidden', 'forbidden'])
  const inWorkspace = { 'x-workspace-id': '1' }
  expect((await send(`GET ${PATH}`, undefined, inWorkspace)).body).toMatchObject([
    { workspaceId: 1 },
    { workspaceId: 1 },
  ])
  expect((await send(`POST ${PATH}`, { ...again, tenantId: SISTER_TENANT }, inWorkspace)).status).toBe(403)
  expect((await send(`GET ${PATH}?tenantId=${TENANT}`, undefined, inWorkspace)).status).toBe(400)
  expect((await send(`GET ${PATH}?tenantId=${TENANT}&providerId=${RESELLER}`)).status).toBe(400)
})

test('paginates the list, newest first, over many owners', async () => {
  await using server = await openServer(RESELLER_ADMIN)
  const { create, send, time } = server
  for (const owner of [{ workspaceId: 1 }, { tenantId: TENANT }, { workspaceId: 3 }, { providerId: RESELLER }]) {
    for (const service of ['openai', 'elevenlabs']) await create(owner, { service })
    await time.advance(1)
  }
  const seen: string[] = []
  let query = ''
  for (let pages = 1; ; pages += 1) {
    const { body, next } = await send(`GET ${PATH}?limit=3${query}`)
    seen.push(...body.map((key: { providerKeyId: string }) => key.providerKeyId))
    if (next === undefined) {
      expect(pages).toBe(3)
      break
    }
    query = `&paginationKey=${next}`
  }
  const all = (await send(`GET ${PATH}`)).body
  expect(seen).toEqual(all.map((key: { providerKeyId: string }) => key.providerKeyId))
  expect(all.map((key: { createdAt: string }) => key.createdAt)).toEqual(
    all
      .map((key: { createdAt: string }) => key.createdAt)
      .toSorted()
      .reverse(),
  )
  expect(new Set(seen).size).toBe(8)
})

test('deleting an owner deletes its keys', async () => {
  await using server = await openServer()
  await server.create({ workspaceId: 4 })
  await server.create({ tenantId: FOREIGN_TENANT })
  await server.database.transaction(async (transaction) => {
    await transaction.deleteFrom('workspaces').where('workspace_id', '=', 4).execute()
    await transaction.deleteFrom('tenants').where('account_sid', '=', FOREIGN_TENANT).execute()
  })
  expect((await server.send(`GET ${PATH}`)).body).toEqual([])
})

test('tests a key at its vendor, only for those who manage it', async () => {
  await using server = await openServer()
  const { providerKeyId } = (await server.create({ workspaceId: 1 }, { apiKey: 'sk-revoked-key' })).body
  const line = `POST ${PATH}/${providerKeyId}/test`
  expect(await server.send(line)).toMatchObject({
    status: 200,
    body: { ok: false, message: 'openai responded.', latencyMs: 0, checkedAt: expect.any(String) },
  })
  expect(await server.send(`PATCH ${PATH}/${providerKeyId}`, { apiKey: SECRET })).toMatchObject({ status: 200 })
  expect((await server.send(line)).body).toMatchObject({ ok: true })
  server.actAs({ ...MEMBER, workspaces: new Map([[1, { level: 'viewer', accountSid: TENANT }]]) })
  expect(await server.send(line)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  server.actAs({ ...MEMBER, workspaces: new Map([[2, { level: 'admin', accountSid: TENANT }]]) })
  expect(await server.send(line)).toMatchObject({ status: 404, body: { code: 'not_found' } })
})
