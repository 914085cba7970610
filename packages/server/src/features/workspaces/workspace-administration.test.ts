import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { seedCalls } from '../../../../../testing/seed-calls.ts'
import { temporarySqliteDatabase } from '../../../../../testing/temporary-database.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import { DEFAULT_RESELLER, MAIN_TENANT_SID, OTHER_TENANT_SID, openTenancy } from '../members/tenancy-test-kit.ts'

const ADMINISTRATORS = ['owner', 'house', 'reseller', 'boss', 'rival'] as const
const MEMBERS = ['admin', 'editor', 'viewer', 'outsider'] as const

test('creates workspaces only in tenants that the caller administers', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  expect(await tenancy.collectStatuses(MEMBERS, 'POST /api/workspaces', { name: 'New' })).toEqual({
    admin: '403 forbidden',
    editor: '403 forbidden',
    viewer: '403 forbidden',
    outsider: '403 forbidden',
  })
  const statuses = await tenancy.collectStatuses(ADMINISTRATORS, 'POST /api/workspaces', {
    name: 'New',
    tenantId: MAIN_TENANT_SID,
  })
  expect(statuses).toEqual({
    owner: '201',
    house: '201',
    boss: '201',
    reseller: '403 forbidden',
    rival: '403 forbidden',
  })
  expect(
    await tenancy.collectStatuses(['owner', 'boss'], 'POST /api/workspaces', { name: 'New', tenantId: 'x' }),
  ).toEqual({
    owner: '403 forbidden',
    boss: '403 forbidden',
  })

  tenancy.actAs('rival')
  const response = await send('POST /api/workspaces', { name: ' Desk ' })
  expect(response).toMatchObject({
    status: 201,
    body: { name: 'Desk', accountSid: OTHER_TENANT_SID, accountPath: '/acme/other', nativeTransferEnabled: false },
  })
  tenancy.actAs('reseller')
  expect((await send('POST /api/workspaces', { name: 'Only tenant' })).body.accountSid).toBe(OTHER_TENANT_SID)
  tenancy.actAs('owner')
  expect(await send('POST /api/workspaces', { name: 'Which?' })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'tenantId' }] },
  })
  const header = { 'x-tenant-id': OTHER_TENANT_SID }
  expect((await send('POST /api/workspaces', { name: 'Named' }, header)).body.accountSid).toBe(OTHER_TENANT_SID)
  expect((await send('POST /api/workspaces', { name: 'No', tenantId: MAIN_TENANT_SID }, header)).status).toBe(403)
  expect((await send('POST /api/workspaces', { name: '   ' })).status).toBe(400)
})

test('a member of another tenant does not become its administrator by naming the tenant in a header', async () => {
  await using tenancy = await openTenancy()
  const { send } = tenancy
  await tenancy.add('/api/workspaces/3/members', { email: 'boss@example.com', role: 'viewer' })
  await tenancy.add('/api/workspaces/1/members', { email: 'reseller@example.com', role: 'viewer' })
  tenancy.actAs('boss')
  const foreignTenant = { 'x-tenant-id': OTHER_TENANT_SID }
  expect((await send('POST /api/workspaces', { name: 'No' }, foreignTenant)).status).toBe(403)
  expect(
    (await send(`POST /api/tenants/${OTHER_TENANT_SID}/admins`, { email: 'a@example.com' }, foreignTenant)).status,
  ).toBe(403)
  expect((await send('PATCH /api/branding', { productName: 'No' }, foreignTenant)).status).toBe(403)
  tenancy.actAs('reseller')
  const foreignReseller = { 'x-provider-id': DEFAULT_RESELLER, 'x-workspace-id': '3' }
  expect((await send('GET /api/tenants', undefined, foreignReseller)).status).toBe(403)
  expect((await send('POST /api/tenants', { name: 'No' }, foreignReseller)).status).toBe(403)
})

test('anyone with access reads a workspace, and administrators of its tenant change it', async () => {
  await using tenancy = await openTenancy()
  const allUsers = [...ADMINISTRATORS, ...MEMBERS]
  const workspaceForbidden = '403 workspace_forbidden'
  const outsiders = { reseller: workspaceForbidden, rival: workspaceForbidden, outsider: workspaceForbidden }
  const allowed = { owner: '200', house: '200', boss: '200' }
  expect(await tenancy.collectStatuses(allUsers, 'GET /api/workspaces/1')).toEqual({
    ...allowed,
    admin: '200',
    editor: '200',
    viewer: '200',
    ...outsiders,
  })
  const forbidden = { admin: '403 forbidden', editor: '403 forbidden', viewer: '403 forbidden' }
  expect(await tenancy.collectStatuses(allUsers, 'PATCH /api/workspaces/1', { name: 'Desk' })).toEqual({
    ...allowed,
    ...forbidden,
    ...outsiders,
    outsider: '403 forbidden',
  })
  expect(await tenancy.collectStatuses([...MEMBERS, 'rival'], 'DELETE /api/workspaces/1')).toEqual({
    ...forbidden,
    outsider: '403 forbidden',
    rival: workspaceForbidden,
  })
  tenancy.actAs('boss')
  const path = '/api/workspaces/1'
  expect((await tenancy.send(`PATCH ${path}`, { native_transfer_enabled: true })).body).toEqual({
    id: 1,
    name: 'Desk',
    accountSid: MAIN_TENANT_SID,
    accountPath: '/default/main',
    nativeTransferEnabled: true,
  })
  expect((await tenancy.send(`PATCH ${path}`, { nativeTransferEnabled: null })).body.nativeTransferEnabled).toBe(false)
  expect((await tenancy.send(`PATCH ${path}`, {})).body.name).toBe('Desk')
  expect((await tenancy.send(`PATCH ${path}`, { name: null })).status).toBe(400)
})

test('rejects deletion while calls are live, then deletes everything without reusing the id', async () => {
  await using tenancy = await openTenancy()
  const { send, database, time } = tenancy
  tenancy.actAs('boss')
  const creation = await send('POST /api/workspaces', { name: 'Newest' })
  const { id } = creation.body
  expect(id).toBe(4)
  const invitedMember = await tenancy.add(`/api/workspaces/${id}/members`, { email: 'new@example.com', role: 'viewer' })
  await tenancy.add(`/api/workspaces/${id}/members`, { email: 'outsider@example.com', role: 'viewer' })
  const lease = { lease_id: 'lease_1', holder: 'node', created_at: 1, workspace_id: id }
  await database.transaction(async (transaction) => {
    await transaction
      .insertInto('leases')
      .values({ ...lease, expires_at: time.clock.now() + 1000 })
      .execute()
  })
  expect(await send(`DELETE /api/workspaces/${id}`)).toMatchObject({ status: 422, body: { code: 'in_use' } })
  await time.advance(1000)
  const invalidationCount = tenancy.forgotten()
  expect((await send(`DELETE /api/workspaces/${id}`)).status).toBe(204)
  expect(tenancy.forgotten()).toBe(invalidationCount + 1)

  tenancy.actAs('boss')
  expect((await send(`GET /api/workspaces/${id}`)).body.code).toBe('workspace_forbidden')
  expect(await database.read.selectFrom('leases').selectAll().execute()).toEqual([])
  const users = await database.read.selectFrom('users').select('user_id').execute()
  expect(users.map((row) => row.user_id)).not.toContain(invitedMember.userId)
  expect(users.map((row) => row.user_id)).toContain('user_outsider')
  expect((await send('POST /api/workspaces', { name: 'Next' })).body.id).toBe(5)
  tenancy.actAs('boss')
  for (const workspaceId of [5, 2, 1]) expect((await send(`DELETE /api/workspaces/${workspaceId}`)).status).toBe(204)
  expect((await send('POST /api/workspaces', { name: 'After all' })).body.id).toBe(6)
})

/** The audit log is kept, and jobs still have to delete files of the workspace. */
const REMAINING_TABLES: readonly string[] = ['audit_entries', 'jobs']
/** Triggers of another table clear these tables when the workspace is deleted. */
const TRIGGER_CLEARED_TABLES: readonly string[] = ['call_counts', 'call_search_entries']

test('every table with a workspace column loses its rows of the workspace', async () => {
  await using database = await temporarySqliteDatabase()
  const tables = await findWorkspaceTables(database.read)
  const remainingTables: string[] = []
  for (const name of tables) {
    const { rows: keys } = await sql<{ table: string; from: string; on_delete: string }>`
      select "table", "from", on_delete from pragma_foreign_key_list(${name})`.execute(database.read)
    const isDeleted = keys.some(
      (key) => key.table === 'workspaces' && key.from === 'workspace_id' && key.on_delete === 'CASCADE',
    )
    if (!isDeleted && !TRIGGER_CLEARED_TABLES.includes(name)) remainingTables.push(name)
  }
  expect(tables.length).toBeGreaterThan(5)
  expect(remainingTables).toEqual(REMAINING_TABLES)
})

test("deletes only this workspace's calls and derived data", async () => {
  await using tenancy = await openTenancy()
  const { database, send } = tenancy
  await seedCalls(database, [{ call_id: 'call_1' }, { call_id: 'call_2', workspace_id: 2 }])
  expect((await send('DELETE /api/workspaces/1')).status).toBe(204)
  for (const name of ['calls', ...TRIGGER_CLEARED_TABLES]) {
    const { rows } = await sql<{ workspace_id: number }>`select workspace_id from ${sql.table(name)}`.execute(
      database.read,
    )
    expect(rows, name).toEqual([{ workspace_id: 2 }])
  }
})

test('deletes the recordings of all its calls in few jobs', async () => {
  await using tenancy = await openTenancy()
  const { database, send } = tenancy
  const joinedCallIds = Array.from({ length: 1_201 }, (_, index) => `call_${String(index).padStart(4, '0')}`)
  await seedCalls(database, [
    ...joinedCallIds.map((call_id) => ({ call_id })),
    { call_id: 'call_waiting', status: 'not_connected', started_at: null },
    { call_id: 'call_other', workspace_id: 2 },
  ])
  expect((await send('DELETE /api/workspaces/99')).status).not.toBe(204)
  const readRemovalJobs = async () => {
    const jobs = await database.read.selectFrom('jobs').select(['kind', 'payload']).execute()
    return jobs.map(({ kind, payload }) => ({ kind, ...(JSON.parse(payload) as { readonly callIds: string[] }) }))
  }
  expect(await readRemovalJobs()).toEqual([])
  expect((await send('DELETE /api/workspaces/1')).status).toBe(204)
  const jobs = await readRemovalJobs()
  expect(jobs.map(({ kind }) => kind)).toEqual(Array.from({ length: 3 }, () => 'forget-recordings'))
  expect(jobs.flatMap(({ callIds }) => callIds).sort()).toEqual(joinedCallIds)
})

/** Finds the tables with a column `workspace_id`, except workspaces. */
async function findWorkspaceTables(reader: Reader): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select tables.name from sqlite_master as tables, pragma_table_info(tables.name) as columns
    where tables.type = 'table' and tables.name <> 'workspaces' and columns.name = 'workspace_id'
    order by tables.name`.execute(reader)
  return rows.map((row) => row.name)
}
