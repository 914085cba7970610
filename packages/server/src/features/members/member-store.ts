import type { MemberRole } from '@parley/contract/access'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import { PERSON_COLUMNS, type PersonRow, toPerson } from './people-store.ts'
import type { Person } from './person.ts'

/** A person's membership in one workspace. */
export interface Membership {
  readonly person: Person
  readonly role: MemberRole
  readonly joinedAt: number
}

export interface MemberKey {
  readonly workspaceId: number
  readonly userId: string
}

const COLUMNS = [...PERSON_COLUMNS, 'members.role', 'members.created_at'] as const

function toMembership(row: PersonRow & { readonly role: string; readonly created_at: number }): Membership {
  return { person: toPerson(row), role: row.role as MemberRole, joinedAt: row.created_at }
}

/** Lists the members of a workspace, newest first. */
export async function findMembers(reader: Reader, workspaceId: number, page: PageRequest): Promise<Page<Membership>> {
  const query = reader
    .selectFrom('members')
    .innerJoin('users', 'users.user_id', 'members.user_id')
    .select(COLUMNS)
    .where('members.workspace_id', '=', workspaceId)
  return await readNewest(query, page, ['members.created_at', 'members.user_id'], toMembership)
}

export async function findMember(reader: Reader, { workspaceId, userId }: MemberKey): Promise<Membership | null> {
  const row = await reader
    .selectFrom('members')
    .innerJoin('users', 'users.user_id', 'members.user_id')
    .select(COLUMNS)
    .where('members.workspace_id', '=', workspaceId)
    .where('members.user_id', '=', userId)
    .executeTakeFirst()
  return row === undefined ? null : toMembership(row)
}

/** Returns the other workspaces of this workspace's members, by user id. */
export async function findOtherWorkspaces(
  reader: Reader,
  workspaceId: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await reader
    .selectFrom('members')
    .select(['user_id', 'workspace_id'])
    .where('workspace_id', '<>', workspaceId)
    .where(({ eb, selectFrom }) =>
      eb(
        'user_id',
        'in',
        selectFrom('members as here').select('here.user_id').where('here.workspace_id', '=', workspaceId),
      ),
    )
    .execute()
  const rowsByUser = Map.groupBy(rows, (row) => row.user_id)
  return new Map([...rowsByUser].map(([userId, memberships]) => [userId, memberships.map((row) => row.workspace_id)]))
}

/** Adds a member. Does nothing if the membership exists. */
export async function insertMember(
  transaction: Transaction,
  { workspaceId, userId }: MemberKey,
  { role, joinedAt }: Pick<Membership, 'role' | 'joinedAt'>,
): Promise<void> {
  await transaction
    .insertInto('members')
    .values({ workspace_id: workspaceId, user_id: userId, role, accepted_at: joinedAt, created_at: joinedAt })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id']).doNothing())
    .execute()
}

/** Whether the workspace has an active member with the lowercase email address. */
export async function hasMemberWithEmail(reader: Reader, workspaceId: number, email: string): Promise<boolean> {
  const row = await reader
    .selectFrom('members')
    .innerJoin('users', 'users.user_id', 'members.user_id')
    .select('members.user_id')
    .where('members.workspace_id', '=', workspaceId)
    .where('users.email', '=', email)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a person's memberships outside of the workspaces and returns the deleted memberships. */
export async function deleteMembershipsOutside(
  transaction: Transaction,
  userId: string,
  workspaceIds: readonly number[],
): Promise<readonly { readonly workspaceId: number; readonly role: string }[]> {
  let query = transaction.deleteFrom('members').where('user_id', '=', userId)
  if (workspaceIds.length > 0) query = query.where('workspace_id', 'not in', workspaceIds)
  const rows = await query.returning(['workspace_id', 'role']).execute()
  return rows.map((row) => ({ workspaceId: row.workspace_id, role: row.role }))
}

export async function updateMemberRole(transaction: Transaction, key: MemberKey, role: MemberRole): Promise<void> {
  await transaction
    .updateTable('members')
    .set({ role })
    .where('workspace_id', '=', key.workspaceId)
    .where('user_id', '=', key.userId)
    .execute()
}

/** Deletes a member. Returns false if there was no such member. */
export async function deleteMember(transaction: Transaction, key: MemberKey): Promise<boolean> {
  const row = await transaction
    .deleteFrom('members')
    .where('workspace_id', '=', key.workspaceId)
    .where('user_id', '=', key.userId)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function findWorkspaceTenant(reader: Reader, workspaceId: number): Promise<string | null> {
  const row = await reader
    .selectFrom('workspaces')
    .select('account_sid')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row?.account_sid ?? null
}
