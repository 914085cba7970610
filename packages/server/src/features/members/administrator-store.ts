import { type Page, type PageRequest, selectNewest, toPage } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { AdministratorScope } from './member-ports.ts'
import { PERSON_COLUMNS, toPerson } from './people-store.ts'
import type { Person } from './person.ts'

/** Builds the columns that make a user an administrator of the scope. */
function toAdministratorColumns(scope: AdministratorScope) {
  return scope.role === 'tenant_admin'
    ? { role: scope.role, account_sid: scope.accountSid, provider_id: null }
    : { role: scope.role, account_sid: null, provider_id: scope.providerId }
}

/** Returns the column and value that identify the scope's administrators. */
function toScopeFilter(scope: AdministratorScope): readonly ['account_sid' | 'provider_id', string] {
  return scope.role === 'tenant_admin' ? ['account_sid', scope.accountSid] : ['provider_id', scope.providerId]
}

/** Lists the administrators of a scope, newest first. */
export async function findAdministrators(
  reader: Reader,
  scope: AdministratorScope,
  page: PageRequest,
): Promise<Page<Person>> {
  const [column, value] = toScopeFilter(scope)
  const query = reader
    .selectFrom('users')
    .select(PERSON_COLUMNS)
    .where('users.role', '=', scope.role)
    .where(`users.${column}`, '=', value)
  const rows = await selectNewest(query, page, ['users.created_at', 'users.user_id']).execute()
  return toPage(rows, page.limit, toPerson, (row) => ({ sortValue: row.user_created_at, id: row.user_id }))
}

/** Returns the workspace ids of the scope's administrators, by user id. */
export async function findAdministratorWorkspaces(
  reader: Reader,
  scope: AdministratorScope,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const [column, value] = toScopeFilter(scope)
  const rows = await reader
    .selectFrom('members')
    .innerJoin('users', 'users.user_id', 'members.user_id')
    .select(['members.user_id', 'members.workspace_id'])
    .where('users.role', '=', scope.role)
    .where(`users.${column}`, '=', value)
    .execute()
  const rowsByUser = Map.groupBy(rows, (row) => row.user_id)
  return new Map([...rowsByUser].map(([userId, memberships]) => [userId, memberships.map((row) => row.workspace_id)]))
}

/** Makes a user an administrator of the scope. */
export async function promoteToAdministrator(
  transaction: Transaction,
  userId: string,
  { scope, now }: { readonly scope: AdministratorScope; readonly now: number },
): Promise<void> {
  await transaction
    .updateTable('users')
    .set({ ...toAdministratorColumns(scope), role_since: now })
    .where('user_id', '=', userId)
    .execute()
}

/** Whether the scope has an administrator with the lowercase email address. */
export async function hasAdministratorWithEmail(
  reader: Reader,
  scope: AdministratorScope,
  email: string,
): Promise<boolean> {
  const [column, value] = toScopeFilter(scope)
  const row = await reader
    .selectFrom('users')
    .select('user_id')
    .where('role', '=', scope.role)
    .where(column, '=', value)
    .where('email', '=', email)
    .executeTakeFirst()
  return row !== undefined
}

/** Demotes one or all administrators to end users. Returns their ids. */
export async function demoteAdministrators(
  transaction: Transaction,
  scope: AdministratorScope,
  userId: string | null,
): Promise<readonly string[]> {
  const [column, value] = toScopeFilter(scope)
  let query = transaction
    .updateTable('users')
    .set({ role: 'end_user', account_sid: null, provider_id: null })
    .where('role', '=', scope.role)
    .where(column, '=', value)
  if (userId !== null) query = query.where('user_id', '=', userId)
  const rows = await query.returning('user_id').execute()
  return rows.map((row) => row.user_id)
}
