import type { ActorRole } from '@parley/contract/access'
import type { Reader, Transaction } from '../../kernel/database.ts'
import type { UserRow } from '../../kernel/tables/account-tables.ts'
import type { Person } from './person.ts'

/** Columns of `users` that make a person. */
export const PERSON_COLUMNS = [
  'users.user_id',
  'users.email',
  'users.name',
  'users.password_hash',
  'users.role as user_role',
  'users.provider_id',
  'users.account_sid',
  'users.home_account_sid',
  'users.created_at as user_created_at',
] as const

export interface PersonRow
  extends Pick<
    UserRow,
    'user_id' | 'email' | 'name' | 'password_hash' | 'provider_id' | 'account_sid' | 'home_account_sid'
  > {
  readonly user_role: string
  readonly user_created_at: number
}

export function toPerson(row: PersonRow): Person {
  return {
    userId: row.user_id,
    email: row.email,
    name: row.name,
    hasPassword: row.password_hash !== '',
    role: row.user_role as ActorRole,
    providerId: row.provider_id,
    accountSid: row.account_sid,
    homeAccountSid: row.home_account_sid,
    createdAt: row.user_created_at,
  }
}

/** `email` in lower case. */
export async function findPersonByEmail(reader: Reader, email: string): Promise<Person | null> {
  const row = await reader.selectFrom('users').select(PERSON_COLUMNS).where('email', '=', email).executeTakeFirst()
  return row === undefined ? null : toPerson(row)
}

/** Puts somebody new on record, without a password; false when the address is taken. */
export async function insertPerson(transaction: Transaction, person: Person): Promise<boolean> {
  const row = await transaction
    .insertInto('users')
    .values({
      user_id: person.userId,
      email: person.email,
      name: person.name,
      password_hash: '',
      role: person.role,
      provider_id: person.providerId,
      account_sid: person.accountSid,
      home_account_sid: person.homeAccountSid,
      created_at: person.createdAt,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/** The workspaces that a person is a member of. */
export async function findWorkspacesOf(reader: Reader, userId: string): Promise<readonly number[]> {
  const rows = await reader.selectFrom('members').select('workspace_id').where('user_id', '=', userId).execute()
  return rows.map((row) => row.workspace_id)
}

/** Removes somebody who was only invited and belongs nowhere any more. */
export async function deleteForsakenPerson(transaction: Transaction, userId: string): Promise<void> {
  await transaction
    .deleteFrom('users')
    .where('user_id', '=', userId)
    .where('password_hash', '=', '')
    .where('role', '=', 'end_user')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('members').select('members.user_id').whereRef('members.user_id', '=', 'users.user_id'))),
    )
    .execute()
}

/** Removes those who were only invited and belong to nothing but this workspace. */
export async function deletePeopleOnlyIn(transaction: Transaction, workspaceId: number): Promise<void> {
  await transaction
    .deleteFrom('users')
    .where('password_hash', '=', '')
    .where('role', '=', 'end_user')
    .where(({ selectFrom, eb }) =>
      eb(
        'users.user_id',
        'in',
        selectFrom('members').select('members.user_id').where('members.workspace_id', '=', workspaceId),
      ),
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
