import { expect, test } from 'vitest'
import { ACME, DEFAULT_RESELLER, openTenancy } from '../members/tenancy-test-kit.ts'

const NO_ROLE = '403 forbidden'
const EVERYBODY = ['owner', 'house', 'reseller', 'boss', 'admin'] as const
const NOBODY = { boss: NO_ROLE, admin: NO_ROLE }

test('the platform creates resellers, and their administrators see them', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  expect(await tenancy.collectStatuses(EVERYBODY, 'POST /api/providers', { name: 'New' })).toEqual({
    owner: '201',
    house: NO_ROLE,
    reseller: NO_ROLE,
    ...NOBODY,
  })
  expect(await tenancy.collectStatuses(EVERYBODY, `PATCH /api/providers/${ACME}`, { name: 'Acme 2' })).toEqual({
    owner: '200',
    house: NO_ROLE,
    reseller: NO_ROLE,
    ...NOBODY,
  })
  expect(await tenancy.collectStatuses(EVERYBODY, `GET /api/providers/${ACME}`)).toEqual({
    owner: '200',
    house: '404 not_found',
    reseller: '200',
    ...NOBODY,
  })
  expect(await tenancy.collectStatuses(EVERYBODY, `DELETE /api/providers/${ACME}`)).toEqual({
    owner: '422 in_use',
    house: NO_ROLE,
    reseller: NO_ROLE,
    ...NOBODY,
  })
  const slugs: Record<string, unknown> = {}
  for (const name of ['owner', 'house', 'reseller'] as const) {
    tenancy.actAs(name)
    slugs[name] = (await send('GET /api/providers')).body.map((reseller: { slug: string }) => reseller.slug).sort()
  }
  expect(slugs).toEqual({ owner: ['acme', 'default', 'new'], house: ['default'], reseller: ['acme'] })
  tenancy.actAs('owner')
  expect((await send('POST /api/providers', { name: 'No' }, { 'x-provider-id': ACME })).status).toBe(403)
  expect((await send('GET /api/providers', undefined, { 'x-provider-id': ACME })).body).toMatchObject([
    { slug: 'acme' },
  ])
})

test('creates, reads, updates and deletes a reseller', async () => {
  await using tenancy = await openTenancy()
  const { send, time, database } = tenancy
  const created = await send('POST /api/providers', { name: 'Big Reseller', markupPercent: 12.5 })
  const { providerId } = created.body
  const now = new Date(time.clock.now()).toISOString()
  expect(created).toMatchObject({ status: 201, etag: '"1"' })
  expect(created.body).toEqual({
    providerId,
    slug: 'big-reseller',
    name: 'Big Reseller',
    markupPercent: 12.5,
    createdAt: now,
    updatedAt: now,
  })
  expect((await send('POST /api/providers', { name: 'x', slug: 'big-reseller' })).body.code).toBe('id_taken')
  const path = `/api/providers/${providerId}`
  await time.advance(5)
  const edited = await send(`PATCH ${path}`, { markup_percent: null }, { 'if-match': '"1"' })
  expect(edited).toMatchObject({ status: 200, etag: '"2"', body: { markupPercent: 0, name: 'Big Reseller' } })
  expect(edited.body.updatedAt > now).toBe(true)
  expect((await send(`PATCH ${path}`, { markupPercent: 0 })).etag).toBe('"2"')
  expect((await send(`PATCH ${path}`, { name: 'x' }, { 'if-match': '"1"' })).body.code).toBe('version_conflict')
  expect((await send(`PATCH ${path}`, { markupPercent: 1001 })).status).toBe(400)
  expect((await send(`DELETE ${path}`, undefined, { 'if-match': '"1"' })).status).toBe(412)

  const tenant = await send('POST /api/tenants', { name: 'First', providerId })
  expect(tenant.body.accountPath).toBe('/big-reseller/first')
  await tenancy.add(`${path}/admins`, { email: 'viewer@example.com' })
  await send('PATCH /api/branding', { providerId, productName: 'Big' })
  expect((await send(`DELETE ${path}`)).body.code).toBe('in_use')
  await send(`DELETE /api/tenants/${tenant.body.tenantId}`)
  expect((await send(`DELETE ${path}`)).status).toBe(204)
  expect((await send(`GET ${path}`)).status).toBe(404)
  expect(await database.read.selectFrom('brandings').selectAll().execute()).toEqual([])
  const viewer = await database.read.selectFrom('users').selectAll().where('user_id', '=', 'user_viewer').execute()
  expect(viewer).toMatchObject([{ role: 'end_user', provider_id: null }])
})

test('the reseller of the installation cannot be deleted', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  await send('DELETE /api/workspaces/1')
  tenancy.actAs('owner')
  await send('DELETE /api/workspaces/2')
  const { body } = await send('GET /api/tenants', undefined, { 'x-provider-id': DEFAULT_RESELLER })
  expect((await send(`DELETE /api/tenants/${body[0].tenantId}`)).status).toBe(204)
  expect((await send(`DELETE /api/providers/${DEFAULT_RESELLER}`)).body).toMatchObject({
    code: 'in_use',
    error: expect.stringContaining('default provider of the installation'),
  })
})

test('administrators of a reseller', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  const admins = `/api/providers/${ACME}/admins`
  const expectedErrors = { house: '404 not_found', ...NOBODY }
  expect(await tenancy.collectStatuses(EVERYBODY, `GET ${admins}`)).toEqual({
    owner: '200',
    reseller: '200',
    ...expectedErrors,
  })
  const body = { email: 'editor@example.com' }
  expect(await tenancy.collectStatuses(EVERYBODY, `POST ${admins}`, body)).toEqual({
    owner: '201',
    reseller: '201',
    ...expectedErrors,
  })
  tenancy.actAs('owner')
  await tenancy.add(admins, body)
  tenancy.actAs('editor')
  expect((await send('GET /api/workspaces')).body.workspaces).toMatchObject([{ id: 1 }, { id: 3 }])
  expect((await send('GET /api/tenants')).body).toMatchObject([{ providerId: ACME }])
  const existingAdmin = (await send(`POST ${admins}`, { email: 'boss@example.com' })).body
  await expect(tenancy.accept(existingAdmin)).rejects.toMatchObject({ code: 'in_use' })
  expect((await send(`DELETE ${admins}/${existingAdmin.userId}`)).status).toBe(204)
  expect((await send(`DELETE ${admins}/user_editor`)).status).toBe(204)
  tenancy.actAs('editor')
  expect((await send('GET /api/workspaces')).body.workspaces).toMatchObject([{ id: 1 }])
  tenancy.actAs('owner')
  expect((await send(`DELETE ${admins}/user_house`)).status).toBe(404)
})
