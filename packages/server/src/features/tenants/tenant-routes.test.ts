import { expect, test } from 'vitest'
import { ACME, DEFAULT_RESELLER, MAIN_TENANT_SID, OTHER_TENANT_SID, openTenancy } from '../members/tenancy-test-kit.ts'

const NO_ROLE = '403 forbidden'
const EVERYBODY = ['owner', 'house', 'reseller', 'boss', 'rival', 'admin', 'outsider'] as const

test('only the reseller and the platform manage tenants', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  const forbiddenResults = { boss: NO_ROLE, rival: NO_ROLE, admin: NO_ROLE, outsider: NO_ROLE }
  const listed: Record<string, unknown> = {}
  for (const name of ['owner', 'house', 'reseller'] as const) {
    tenancy.actAs(name)
    listed[name] = (await send('GET /api/tenants')).body.map((tenant: { tenantId: string }) => tenant.tenantId)
  }
  expect(listed).toEqual({
    owner: [OTHER_TENANT_SID, MAIN_TENANT_SID],
    house: [MAIN_TENANT_SID],
    reseller: [OTHER_TENANT_SID],
  })
  expect(
    await tenancy.collectStatuses(EVERYBODY, `PATCH /api/tenants/${MAIN_TENANT_SID}`, { name: 'Renamed' }),
  ).toEqual({
    owner: '200',
    house: '200',
    reseller: '404 not_found',
    ...forbiddenResults,
  })
  expect(await tenancy.collectStatuses(EVERYBODY, `DELETE /api/tenants/${MAIN_TENANT_SID}`)).toEqual({
    owner: '422 in_use',
    house: '422 in_use',
    reseller: '404 not_found',
    ...forbiddenResults,
  })
  expect(await tenancy.collectStatuses(EVERYBODY, `GET /api/tenants/${MAIN_TENANT_SID}`)).toEqual({
    owner: '200',
    house: '200',
    reseller: '404 not_found',
    boss: '200',
    rival: '404 not_found',
    admin: NO_ROLE,
    outsider: NO_ROLE,
  })
  tenancy.actAs('owner')
  expect((await send('GET /api/tenants/x')).status).toBe(404)
  expect((await send('GET /api/tenants', undefined, { 'x-tenant-id': OTHER_TENANT_SID })).body).toHaveLength(1)
  expect((await send('GET /api/tenants', undefined, { 'x-provider-id': ACME })).body).toMatchObject([
    { tenantId: OTHER_TENANT_SID },
  ])
})

test('creates, reads, updates and deletes a tenant', async () => {
  await using tenancy = await openTenancy()
  const { send, time, database } = tenancy
  tenancy.actAs('reseller')
  const created = await send('POST /api/tenants', { name: 'Müller & Söhne' })
  const { tenantId } = created.body
  expect(created).toMatchObject({
    status: 201,
    body: {
      tenantId,
      accountSid: tenantId,
      accountPath: '/acme/muller-sohne',
      name: 'Müller & Söhne',
      providerId: ACME,
      createdAt: new Date(time.clock.now()).toISOString(),
    },
  })
  expect((await send('POST /api/tenants', { name: 'Again', slug: 'muller-sohne' })).body.code).toBe('id_taken')
  expect((await send('POST /api/tenants', { name: '東京', slug: null })).body.accountPath).toMatch(
    /^\/acme\/tenant-[0-9a-f]{8}$/,
  )
  expect((await send('POST /api/tenants', { name: 'x', slug: 'Not a slug' })).body.details).toMatchObject([
    { path: 'slug' },
  ])
  expect((await send('POST /api/tenants', { name: 'x', providerId: DEFAULT_RESELLER })).body.code).toBe('forbidden')
  expect((await send('POST /api/tenants', { name: 'x', providerId: 'provider_x' })).body.code).toBe('forbidden')
  expect((await send(`PATCH /api/tenants/${tenantId}`, { name: 'Two' })).body).toEqual({ ...created.body, name: 'Two' })

  const invited = await tenancy.add(`/api/tenants/${tenantId}/admins`, { email: 'new@example.com' })
  await tenancy.add(`/api/tenants/${tenantId}/admins`, { email: 'outsider@example.com' })
  await send('PATCH /api/branding', { tenantId, productName: 'Two', domain: 'two.example.com' })
  expect((await send(`DELETE /api/tenants/${tenantId}`)).status).toBe(204)
  expect((await send(`GET /api/tenants/${tenantId}`)).status).toBe(404)
  expect(await database.read.selectFrom('brandings').selectAll().execute()).toEqual([])
  const users = await database.read.selectFrom('users').selectAll().execute()
  expect(users.find((row) => row.user_id === invited.userId)).toBeUndefined()
  expect(users.find((row) => row.user_id === 'user_outsider')).toMatchObject({ role: 'end_user', account_sid: null })

  tenancy.actAs('owner')
  expect((await send('POST /api/tenants', { name: 'House' })).body).toMatchObject({ providerId: DEFAULT_RESELLER })
  expect((await send('POST /api/tenants', { name: 'House', providerId: ACME })).body.accountPath).toBe('/acme/house')
})

test('only administrators of the tenant manage its administrators', async () => {
  await using tenancy = await openTenancy()
  const admins = `/api/tenants/${MAIN_TENANT_SID}/admins`
  const expectedErrors = { reseller: '404 not_found', rival: '404 not_found', admin: NO_ROLE, outsider: NO_ROLE }
  expect(await tenancy.collectStatuses(EVERYBODY, `GET ${admins}`)).toEqual({
    owner: '200',
    house: '200',
    boss: '200',
    ...expectedErrors,
  })
  const body = { email: 'viewer@example.com' }
  expect(await tenancy.collectStatuses(EVERYBODY, `POST ${admins}`, body)).toEqual({
    owner: '201',
    house: '201',
    boss: '201',
    ...expectedErrors,
  })
  tenancy.actAs('boss')
  await tenancy.add(admins, body)
  expect((await tenancy.send(`POST ${admins}`, body)).body.code).toBe('id_taken')
  expect(await tenancy.collectStatuses(EVERYBODY, `DELETE ${admins}/user_viewer`)).toEqual({
    owner: '204',
    house: '404 not_found',
    boss: '404 not_found',
    ...expectedErrors,
  })
})

test('an administrator has access from acceptance to removal', async () => {
  await using tenancy = await openTenancy()
  const { send, time } = tenancy
  const admins = `/api/tenants/${MAIN_TENANT_SID}/admins`
  await time.advance(1)
  tenancy.actAs('boss')
  const response = await tenancy.add(admins, { email: 'Anna@Example.com', name: 'Anna' })
  expect(response).toMatchObject({ email: 'anna@example.com', name: 'Anna', status: 'invited' })
  expect(tenancy.forgotten()).toBe(1)
  const anna = { userId: response.userId }
  tenancy.actAs(anna)
  expect((await send('GET /api/workspaces')).body.workspaces).toMatchObject([{ id: 1 }, { id: 2 }])
  expect((await send(`GET ${admins}`)).body).toMatchObject([{ userId: anna.userId }, { userId: 'user_boss' }])
  const page = await send(`GET ${admins}?limit=1`)
  expect(page.body).toMatchObject([{ userId: anna.userId }])
  expect((await send(`GET ${admins}?limit=1&paginationKey=${page.next}`)).body).toMatchObject([{ userId: 'user_boss' }])

  for (const name of ['owner', 'reseller', 'rival']) {
    const { body } = await send(`POST ${admins}`, { email: `${name}@example.com` })
    await expect(tenancy.accept(body), name).rejects.toMatchObject({ code: 'in_use' })
  }
  await tenancy.add(admins, { email: 'outsider@example.com' })
  tenancy.actAs('outsider')
  expect((await send('GET /api/workspaces')).body.workspaces).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }])
  expect((await send(`DELETE ${admins}/user_outsider`)).status).toBe(204)
  tenancy.actAs('outsider')
  expect((await send('GET /api/workspaces')).body.workspaces).toMatchObject([{ id: 3 }])
  expect((await send(`GET ${admins}`)).status).toBe(403)
})

test('paginates the list, newest first', async () => {
  await using tenancy = await openTenancy()
  const { send, time } = tenancy
  for (const name of ['One', 'Two']) {
    await time.advance(1)
    await send('POST /api/tenants', { name })
  }
  const firstPage = await send('GET /api/tenants?limit=3')
  expect(firstPage.body).toMatchObject([{ name: 'Two' }, { name: 'One' }, { name: 'Other' }])
  expect(firstPage.headers['x-has-more']).toBe('true')
  const secondPage = await send(`GET /api/tenants?limit=3&paginationKey=${firstPage.next}`)
  expect(secondPage.body).toMatchObject([{ name: 'Main' }])
  expect(secondPage.headers['x-has-more']).toBe('false')
})
