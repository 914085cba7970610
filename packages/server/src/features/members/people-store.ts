import type { ActorRole } from '@parley/contract/access'
import type { Insertable } from 'kysely'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { UserRow } from '../../tables/tenancy-tables.ts'
import type { Person } from './person.ts'

/** Columns of `users` that describe a person. */
export const PERSON_COLUMNS = [
  'users.user_id',
  'users.email',
  'users.name',
  'users.role as user_role',
  'users.provider_id',
  'users.account_sid',
  'users.created_at as user_created_at',
] as const

export interface PersonRow extends Pick<UserRow, 'user_id' | 'email' | 'name' | 'provider_id' | 'account_sid'> {
  readonly user_role: string
  readonly user_created_at: number
}

export function toPerson(row: PersonRow): Person {
  return {
    userId: row.user_id,
    email: row.email,
    name: row.name,
    role: row.user_role as ActorRole,
    providerId: row.provider_id,
    accountSid: row.account_sid,
    createdAt: row.user_created_at,
  }
}

export async function findPerson(reader: Reader, userId: string): Promise<Person | null> {
  const row = await reader.selectFrom('users').select(PERSON_COLUMNS).where('user_id', '=', userId).executeTakeFirst()
  return row === undefined ? null : toPerson(row)
}

/** Finds the person with a lowercase email address. */
export async function findPersonByEmail(reader: Reader, email: string): Promise<Person | null> {
  const row = await reader.selectFrom('users').select(PERSON_COLUMNS).where('email', '=', email).executeTakeFirst()
  return row === undefined ? null : toPerson(row)
}

export async function insertPerson(transaction: Transaction, row: Insertable<UserRow>): Promise<void> {
  await transaction.insertInto('users').values(row).execute()
}

/** Returns the workspaces that a person is a member of. */
export async function findMemberWorkspaces(reader: Reader, userId: string): Promise<readonly number[]> {
  const rows = await reader.selectFrom('members').select('workspace_id').where('user_id', '=', userId).execute()
  return rows.map((row) => row.workspace_id)
}

/** Deletes an account without memberships and administrator role, including its password, sessions and API tokens. */
export async function deleteAbandonedPerson(transaction: Transaction, userId: string): Promise<void> {
  await transaction
    .deleteFrom('users')
    .where('user_id', '=', userId)
    .where('role', '=', 'end_user')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('members').select('members.user_id').whereRef('members.user_id', '=', 'users.user_id'))),
    )
    .execute()
}

/** Deletes the accounts of members and invited people that belong only to this workspace. */
export async function deleteWorkspaceOnlyPeople(transaction: Transaction, workspaceId: number): Promise<void> {
  await transaction
    .deleteFrom('users')
    .where('role', '=', 'end_user')
    .where(({ selectFrom, eb, or }) =>
      or([
        eb(
          'users.user_id',
          'in',
          selectFrom('members').select('members.user_id').where('members.workspace_id', '=', workspaceId),
        ),
        eb(
          'users.user_id',
          'in',
          selectFrom('invitations').select('invitations.user_id').where('invitations.workspace_id', '=', workspaceId),
        ),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('members')
            .select('members.user_id')
            .whereRef('members.user_id', '=', 'users.user_id')
            .where('members.workspace_id', '<>', workspaceId),
        ),
      ),
    )
    .execute()
}
