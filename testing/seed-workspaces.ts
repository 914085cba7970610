import type { Database } from '../packages/server/src/kernel/storage/database.ts'
import type { WorkspaceRow } from '../packages/server/src/tables/tenancy-tables.ts'

/** Tenant of all seeded workspaces. */
export const SEEDED_TENANT = '00000000-0000-4000-8000-00000000000a'

/** Inserts workspaces into an empty database. They belong to one tenant of the default provider. */
export async function seedWorkspaces(
  database: Database,
  ids: readonly number[] = [1, 2],
  fields: Partial<WorkspaceRow> = {},
): Promise<void> {
  await database.transaction(async (transaction) => {
    const provider = await transaction.selectFrom('providers').select('provider_id').executeTakeFirstOrThrow()
    const tenant = { account_sid: SEEDED_TENANT, account_path: '/default/main', name: 'Main', created_at: 0 }
    await transaction
      .insertInto('tenants')
      .values({ ...tenant, ...provider })
      .execute()
    for (const id of ids) {
      const limits = { concurrency_base: 20, concurrency_purchased: 0, concurrency_purchase_limit: 100 }
      const names = { name: `Workspace ${id}`, native_transfer_enabled: 0 as const, created_at: 0 }
      await transaction
        .insertInto('workspaces')
        .values({ workspace_id: id, account_sid: SEEDED_TENANT, ...names, ...limits, ...fields })
        .execute()
    }
  })
}
