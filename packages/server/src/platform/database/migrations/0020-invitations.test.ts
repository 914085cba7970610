import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { SEEDED_TENANT, seedWorkspaces } from '../../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../../testing/temporary-database.ts'
import { addInvitations } from './0020-invitations.ts'

test('members with a password stay members; others are invited again', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  await database.transaction(async (unit) => {
    await unit.schema.dropTable('invitations').execute()
    await unit.schema.alterTable('members').dropColumn('accepted_at').execute()
    await unit.schema.alterTable('users').dropColumn('role_since').execute()
    await unit.schema.alterTable('password_links').dropColumn('workspace_ids').execute()
    const add = async (user_id: string, given: { password_hash: string; role?: string; account_sid?: string }) => {
      const row = { user_id, email: `${user_id}@example.com`, name: user_id, role: 'end_user', created_at: 1, ...given }
      await unit.insertInto('users').values(row).execute()
    }
    await add('ann', { password_hash: 'x' })
    await add('bob', { password_hash: '' })
    await add('boss', { password_hash: '', role: 'tenant_admin', account_sid: SEEDED_TENANT })
    for (const [user_id, workspace_id] of [
      ['ann', 1],
      ['bob', 1],
      ['bob', 2],
    ] as const) {
      await unit.insertInto('members').values({ user_id, workspace_id, role: 'editor', created_at: 5 }).execute()
    }
    const link = { link_id: 'link', token_hash: 'a', user_id: 'ann', expires_at: 9, created_at: 1 }
    await unit.insertInto('password_links').values(link).execute()
    await addInvitations(unit as unknown as Kysely<unknown>)
  })
  const { read } = database
  expect(await read.selectFrom('users').select(['user_id', 'role_since']).execute()).toEqual([
    { user_id: 'ann', role_since: 0 },
  ])
  expect(await read.selectFrom('members').select(['user_id', 'workspace_id', 'accepted_at']).execute()).toEqual([
    { user_id: 'ann', workspace_id: 1, accepted_at: 0 },
  ])
  expect(await read.selectFrom('password_links').selectAll().execute()).toEqual([])
  const invited = await read.selectFrom('invitations').selectAll().orderBy('invitation_id').execute()
  const none = { token_hash: null, workspace_id: null, account_sid: null, provider_id: null, expires_at: 0 }
  const bob = { ...none, email: 'bob@example.com', name: 'bob', user_id: 'bob', role: 'editor', created_at: 5 }
  expect(invited).toEqual([
    { ...bob, invitation_id: 'link_bob_1', workspace_id: 1 },
    { ...bob, invitation_id: 'link_bob_2', workspace_id: 2 },
    {
      ...none,
      invitation_id: 'link_boss',
      email: 'boss@example.com',
      name: 'boss',
      user_id: 'boss',
      role: 'tenant_admin',
      account_sid: SEEDED_TENANT,
      created_at: 1,
    },
  ])
})
