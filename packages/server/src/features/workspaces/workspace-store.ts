import type { Workspace } from '@parley/contract/workspace'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import type { TenantRow, WorkspaceRow } from '../../tables/tenancy-tables.ts'

/** Finds workspaces by id, in ascending order. Skips unknown ids. */
export async function findWorkspaces(reader: Reader, ids: ReadonlySet<number>): Promise<readonly Workspace[]> {
  if (ids.size === 0) return []
  const sortedIds = [...ids].sort((a, b) => a - b)
  const rows = await reader
    .selectFrom('workspaces')
    .innerJoin('tenants', 'tenants.account_sid', 'workspaces.account_sid')
    .select([
      'workspaces.workspace_id',
      'workspaces.name',
      'workspaces.account_sid',
      'tenants.account_path',
      'workspaces.native_transfer_enabled',
    ])
    // Uses a range instead of a list, because a platform owner's list could exceed the parameter limit.
    .where('workspaces.workspace_id', '>=', sortedIds[0] ?? 0)
    .where('workspaces.workspace_id', '<=', sortedIds.at(-1) ?? 0)
    .orderBy('workspaces.workspace_id')
    .execute()
  return rows
    .filter((row) => ids.has(row.workspace_id))
    .map((row) => ({
      id: row.workspace_id,
      name: row.name,
      accountSid: row.account_sid,
      accountPath: row.account_path,
      nativeTransferEnabled: row.native_transfer_enabled === 1,
    }))
}

/** Returns the account SID of the oldest tenant, or null if there are no tenants. */
export async function readFirstTenant(reader: Reader): Promise<string | null> {
  const row = await reader
    .selectFrom('tenants')
    .select('account_sid')
    .orderBy('created_at')
    .orderBy('account_sid')
    .limit(1)
    .executeTakeFirst()
  return row?.account_sid ?? null
}

/** Returns the installation's default reseller. */
export async function findFirstReseller(reader: Reader): Promise<string> {
  const row = await reader
    .selectFrom('providers')
    .select('provider_id')
    .orderBy('created_at')
    .orderBy('provider_id')
    .limit(1)
    .executeTakeFirstOrThrow()
  return row.provider_id
}

const selectMarkup = prepareQuery<{ readonly workspaceId: number }, { readonly markup_percent: number }>(
  (reader, param) =>
    reader
      .selectFrom('workspaces')
      .innerJoin('tenants', 'tenants.account_sid', 'workspaces.account_sid')
      .innerJoin('providers', 'providers.provider_id', 'tenants.provider_id')
      .select('providers.markup_percent')
      .where('workspaces.workspace_id', '=', param('workspaceId')),
)

/** Returns the current cost markup of the workspace's reseller, in percent. */
export async function readMarkup(reader: Reader, workspaceId: number): Promise<number> {
  const [row] = await selectMarkup(reader, { workspaceId })
  return row?.markup_percent ?? 0
}

const WORKSPACE_COUNTER = 'workspaces'

/** Allocates the next workspace id. Ids start at 1 and are never reused, even after a deletion. */
export async function allocateWorkspaceId(transaction: Transaction): Promise<number> {
  const row = await transaction
    .selectFrom('workspaces')
    .select((builder) => builder.fn.max('workspace_id').as('last'))
    .executeTakeFirst()
  // `max` without rows is null, despite its type.
  const nextId = ((row?.last as number | null | undefined) ?? 0) + 1
  const counter = await transaction
    .insertInto('counters')
    .values({ name: WORKSPACE_COUNTER, value: nextId })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet(({ eb, ref }) => ({
        value: eb
          .case()
          .when('counters.value', '>=', ref('excluded.value'))
          .then(eb('counters.value', '+', 1))
          .else(ref('excluded.value'))
          .end(),
      })),
    )
    .returning('value')
    .executeTakeFirstOrThrow()
  return Number(counter.value)
}

/** Stores the given changes. */
export async function updateWorkspaceRow(
  transaction: Transaction,
  workspaceId: number,
  changes: { readonly name?: string | undefined; readonly nativeTransferEnabled?: boolean | undefined },
): Promise<void> {
  const { name, nativeTransferEnabled } = changes
  if (name === undefined && nativeTransferEnabled === undefined) return
  await transaction
    .updateTable('workspaces')
    .set({
      ...(name !== undefined && { name }),
      ...(nativeTransferEnabled !== undefined && { native_transfer_enabled: nativeTransferEnabled ? 1 : 0 }),
    })
    .where('workspace_id', '=', workspaceId)
    .execute()
}

/** Whether a call in the workspace currently holds a concurrency lease. */
export async function hasLiveCalls(reader: Reader, workspaceId: number, now: number): Promise<boolean> {
  const row = await reader
    .selectFrom('leases')
    .select('lease_id')
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a workspace with its content. Returns false if the workspace did not exist. */
export async function deleteWorkspaceRow(transaction: Transaction, workspaceId: number): Promise<boolean> {
  const row = await transaction
    .deleteFrom('workspaces')
    .where('workspace_id', '=', workspaceId)
    .returning('workspace_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function insertTenant(transaction: Transaction, tenant: TenantRow): Promise<void> {
  await transaction.insertInto('tenants').values(tenant).execute()
}

export async function insertWorkspace(transaction: Transaction, workspace: WorkspaceRow): Promise<void> {
  await transaction.insertInto('workspaces').values(workspace).execute()
}
