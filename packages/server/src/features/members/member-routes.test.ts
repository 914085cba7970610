import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { openTenancy } from './tenancy-test-kit.ts'

const MEMBERS = '/api/workspaces/1/members'
const DAY_MS = 24 * 60 * 60 * 1000

test('only admins of the workspace or its tenant manage members', async () => {
  await using tenancy = await openTenancy()
  const everybody = ['editor', 'viewer', 'outsider', 'rival', 'reseller', 'owner', 'house', 'boss', 'admin'] as const
  const outside = '403 workspace_forbidden'
  const expected = {
    editor: '403 forbidden',
    viewer: '403 forbidden',
    outsider: outside,
    rival: outside,
    reseller: outside,
  }
  const insiderStatuses = (status: string) => ({ owner: status, house: status, boss: status, admin: status })
  expect(await tenancy.collectStatuses(everybody, `GET ${MEMBERS}`)).toEqual({ ...insiderStatuses('200'), ...expected })
  expect(await tenancy.collectStatuses(everybody, `PATCH ${MEMBERS}/user_viewer`, { role: 'editor' })).toEqual({
    ...insiderStatuses('200'),
    ...expected,
  })
  const add = { email: 'outsider@example.com', role: 'viewer' }
  expect(await tenancy.collectStatuses(everybody, `POST ${MEMBERS}`, add)).toEqual({
    ...insiderStatuses('201'),
    ...expected,
  })
  tenancy.actAs('owner')
  await tenancy.add(MEMBERS, add)
  expect(await tenancy.collectStatuses(everybody, `POST ${MEMBERS}`, add)).toEqual({
    ...insiderStatuses('422 id_taken'),
    ...expected,
    outsider: '403 forbidden',
  })
  expect(await tenancy.collectStatuses(everybody, `DELETE ${MEMBERS}/user_outsider`)).toEqual({
    ...insiderStatuses('404 not_found'),
    owner: '204',
    ...expected,
    outsider: '403 forbidden',
  })
  tenancy.actAs('admin')
  expect((await tenancy.send('GET /api/workspaces/99/members')).body.code).toBe('workspace_forbidden')
})

test('invites a new person by a link and stores only its digest', async () => {
  await using tenancy = await openTenancy()
  const { database, time, send } = tenancy
  tenancy.actAs('admin')
  const added = await send(`POST ${MEMBERS}`, { email: 'New.Person@Example.com', role: 'editor', name: 'Ada' })
  expect(added).toMatchObject({
    status: 201,
    body: { email: 'new.person@example.com', name: 'Ada', role: 'editor', status: 'invited' },
  })
  const { userId, inviteUrl, inviteExpiresAt } = added.body
  const [, token = ''] = /^https:\/\/voice\.example\.com\/accept-invitation#token=([\w-]{43})$/.exec(inviteUrl) ?? []
  expect(Date.parse(inviteExpiresAt)).toBe(time.clock.now() + 7 * DAY_MS)
  const links = await database.read.selectFrom('invitations').selectAll().execute()
  expect(links).toMatchObject([
    {
      user_id: userId,
      token_hash: createHash('sha256').update(token).digest('hex'),
      expires_at: time.clock.now() + 7 * DAY_MS,
    },
  ])
  expect(JSON.stringify(links)).not.toContain(token)

  const again = await send(`POST ${MEMBERS}`, { email: 'NEW.person@example.com', role: 'viewer' })
  expect(again).toMatchObject({ status: 201, body: { userId, name: 'Ada', role: 'viewer' } })
  expect((await send(`PATCH ${MEMBERS}/${userId}`, { role: 'editor' })).body).toMatchObject({ status: 'invited' })
  expect((await send(`GET ${MEMBERS}`)).body.find((one: { userId: string }) => one.userId === userId)).toEqual({
    userId,
    email: 'new.person@example.com',
    name: 'Ada',
    status: 'invited',
    role: 'editor',
    createdAt: new Date(time.clock.now()).toISOString(),
  })

  const fresh = await send(`POST ${MEMBERS}/${userId}/password-link`)
  expect(fresh).toMatchObject({ status: 201, body: { expiresAt: inviteExpiresAt } })
  expect(fresh.body.url).not.toBe(inviteUrl)
  expect(await database.read.selectFrom('invitations').select('user_id').execute()).toHaveLength(1)

  expect((await send(`DELETE ${MEMBERS}/${userId}`)).status).toBe(204)
  expect(await database.read.selectFrom('invitations').selectAll().execute()).toEqual([])
})

test('a removed member keeps the account and its other workspaces', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  tenancy.actAs('owner')
  await tenancy.add(MEMBERS, { email: 'outsider@example.com', role: 'admin' })
  tenancy.actAs('outsider')
  expect((await send(`GET ${MEMBERS}`)).status).toBe(200)
  const before = tenancy.forgotten()
  expect((await send(`DELETE ${MEMBERS}/user_outsider`)).status).toBe(204)
  expect(tenancy.forgotten()).toBe(before + 1)
  tenancy.actAs('outsider')
  expect((await send(`GET ${MEMBERS}`)).body.code).toBe('workspace_forbidden')
  expect((await send('GET /api/workspaces/3')).status).toBe(200)
})

test('password links are available only for people in workspaces that the actor administers', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  const link = (name: string) => `POST ${MEMBERS}/user_${name}/password-link`
  const may = ['owner', 'boss', 'admin'] as const
  const statuses = (text: string) => ({ owner: text, boss: text, admin: text })
  expect(await tenancy.collectStatuses(may, link('viewer'))).toEqual(statuses('201'))
  expect(await tenancy.collectStatuses(may, link('outsider'))).toEqual(statuses('404 not_found'))
  expect(await tenancy.collectStatuses(['editor', 'rival'], link('viewer'))).toEqual({
    editor: '403 forbidden',
    rival: '403 workspace_forbidden',
  })

  tenancy.actAs('admin')
  for (const name of ['outsider', 'boss', 'reseller', 'owner']) {
    await tenancy.add(MEMBERS, { email: `${name}@example.com`, role: 'viewer' })
    expect((await send(link(name))).body.code, name).toBe('forbidden')
  }
  expect((await send(link('admin'))).body.code).toBe('forbidden')
  expect(await tenancy.collectStatuses(['owner', 'boss'], link('outsider'))).toEqual({
    owner: '201',
    boss: '403 forbidden',
  })
})

test('a person invited first by another tenant cannot be taken over after losing that membership', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  tenancy.actAs('admin')
  await tenancy.add(MEMBERS, { email: 'outsider@example.com', role: 'viewer' })
  tenancy.actAs('owner')
  expect((await send('DELETE /api/workspaces/3/members/user_outsider')).status).toBe(204)
  tenancy.actAs('admin')
  expect((await send(`POST ${MEMBERS}/user_outsider/password-link`)).body.code).toBe('forbidden')
  // People of the actor's tenant do not depend on current memberships.
  expect((await send(`POST ${MEMBERS}/user_viewer/password-link`)).status).toBe(201)
})

test('the name of a person in another tenant stays hidden', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  const nameIn = async (name: string) =>
    (await send(`GET ${MEMBERS}`)).body.find((one: { userId: string }) => one.userId === `user_${name}`)?.name
  tenancy.actAs('admin')
  await tenancy.add(MEMBERS, { email: 'outsider@example.com', role: 'viewer' })
  expect(await nameIn('outsider')).toBe('')
  expect((await send(`PATCH ${MEMBERS}/user_outsider`, { role: 'editor' })).body).toMatchObject({
    name: '',
    role: 'editor',
  })
  await tenancy.add(MEMBERS, { email: 'rival@example.com', role: 'viewer', name: 'Rita' })
  expect(await nameIn('rival')).toBe('')
  expect(await nameIn('viewer')).toBe('The viewer')
  tenancy.actAs('owner')
  expect(await nameIn('outsider')).toBe('The outsider')
  expect(await nameIn('rival')).toBe('The rival')
})

test('paginates the list, newest first', async () => {
  await using tenancy = await openTenancy()
  const { send, time } = tenancy
  for (const name of ['a', 'b']) {
    await time.advance(1)
    await send(`POST ${MEMBERS}`, { email: `${name}@example.com`, role: 'viewer' })
  }
  // Applies to invitations and members.
  await time.advance(1)
  await tenancy.add(MEMBERS, { email: 'c@example.com', role: 'viewer' })
  const emails: string[] = []
  let next: unknown = ''
  while (next !== undefined) {
    const page = await send(`GET ${MEMBERS}?limit=2${next === '' ? '' : `&paginationKey=${next}`}`)
    emails.push(...page.body.map((one: { email: string }) => one.email))
    next = page.next
  }
  expect(emails).toEqual(['c', 'b', 'a', 'viewer', 'editor', 'admin'].map((name) => `${name}@example.com`))
})

test.each([
  [{ role: 'viewer' }, ['email']],
  [{ email: 'no address', role: 'owner' }, ['email', 'role']],
  [{ email: `${'x'.repeat(250)}@example.com`, role: 'viewer', name: 'x'.repeat(201) }, ['email', 'name']],
])('rejects a body with all its problems: %#', async (body, paths) => {
  await using tenancy = await openTenancy()
  const refused = await tenancy.send(`POST ${MEMBERS}`, body)
  expect(refused.status).toBe(400)
  expect(refused.body.details.map((detail: { path: string }) => detail.path).sort()).toEqual(paths)
})

test('returns not_found for an unknown member', async () => {
  await using tenancy = await openTenancy()
  expect((await tenancy.send(`PATCH ${MEMBERS}/user_x`, { role: 'viewer' })).status).toBe(404)
  expect((await tenancy.send(`DELETE ${MEMBERS}/user_outsider`)).status).toBe(404)
  expect((await tenancy.send(`POST ${MEMBERS}/user_outsider/password-link`)).status).toBe(404)
  expect((await tenancy.send('GET /api/workspaces/abc/members')).status).toBe(404)
})
