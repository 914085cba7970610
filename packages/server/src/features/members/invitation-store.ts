import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { InvitationRow } from '../../tables/tenancy-tables.ts'

/** The target of an invitation: a workspace, tenant or reseller. */
export type InvitationTarget =
  | { readonly workspaceId: number }
  | { readonly accountSid: string }
  | { readonly providerId: string }

const TARGET_COLUMNS = ['workspace_id', 'account_sid', 'provider_id'] as const

/** Returns the target's column and value. */
function getTargetColumn(target: InvitationTarget): readonly [(typeof TARGET_COLUMNS)[number], number | string] {
  if ('workspaceId' in target) return ['workspace_id', target.workspaceId]
  return 'accountSid' in target ? ['account_sid', target.accountSid] : ['provider_id', target.providerId]
}

/** Builds the three target columns of an invitation row. */
export function buildTargetColumns(target: InvitationTarget): Pick<InvitationRow, (typeof TARGET_COLUMNS)[number]> {
  const [column, value] = getTargetColumn(target)
  return { workspace_id: null, account_sid: null, provider_id: null, [column]: value }
}

/** Lists the open invitations to a target, newest first. */
export async function findInvitations(
  reader: Reader,
  target: InvitationTarget,
  page: PageRequest,
): Promise<Page<InvitationRow>> {
  const [column, value] = getTargetColumn(target)
  const query = reader.selectFrom('invitations').selectAll().where(column, '=', value)
  return await readNewest(query, page, ['created_at', 'user_id'], (row) => row)
}

export async function findInvitation(
  reader: Reader,
  target: InvitationTarget,
  userId: string,
): Promise<InvitationRow | null> {
  const [column, value] = getTargetColumn(target)
  const query = reader.selectFrom('invitations').selectAll().where(column, '=', value).where('user_id', '=', userId)
  return (await query.executeTakeFirst()) ?? null
}

/** Finds the invitation for a lowercase email address. */
export async function findInvitationByEmail(
  reader: Reader,
  target: InvitationTarget,
  email: string,
): Promise<InvitationRow | null> {
  const [column, value] = getTargetColumn(target)
  const query = reader.selectFrom('invitations').selectAll().where(column, '=', value).where('email', '=', email)
  return (await query.executeTakeFirst()) ?? null
}

/** Finds the invitation with an unexpired link. */
export async function findInvitationByToken(
  reader: Reader,
  tokenHash: string,
  now: number,
): Promise<InvitationRow | null> {
  const query = reader
    .selectFrom('invitations')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
  return (await query.executeTakeFirst()) ?? null
}

export async function insertInvitation(transaction: Transaction, row: InvitationRow): Promise<void> {
  await transaction.insertInto('invitations').values(row).execute()
}

export async function updateInvitation(
  transaction: Transaction,
  invitationId: string,
  changes: Partial<Pick<InvitationRow, 'token_hash' | 'expires_at' | 'name' | 'role'>>,
): Promise<void> {
  await transaction.updateTable('invitations').set(changes).where('invitation_id', '=', invitationId).execute()
}

export async function deleteInvitation(transaction: Transaction, invitationId: string): Promise<void> {
  await transaction.deleteFrom('invitations').where('invitation_id', '=', invitationId).execute()
}

/** Deletes one or all invitations to a target. Returns their user ids. */
export async function deleteInvitationsTo(
  transaction: Transaction,
  target: InvitationTarget,
  userId: string | null,
): Promise<readonly string[]> {
  const [column, value] = getTargetColumn(target)
  let query = transaction.deleteFrom('invitations').where(column, '=', value)
  if (userId !== null) query = query.where('user_id', '=', userId)
  const rows = await query.returning('user_id').execute()
  return rows.map((row) => row.user_id)
}
