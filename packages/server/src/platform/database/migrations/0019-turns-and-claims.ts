import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Lets background jobs of different workspaces run in turn. */
export async function addJobWorkspaces({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('jobs')
    .addColumn('workspace_id', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema
    .createIndex('jobs_pending_by_workspace')
    .on('jobs')
    .columns(['workspace_id', 'run_at'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute()
  await schema
    .createIndex('jobs_running_by_workspace')
    .on('jobs')
    .columns(['workspace_id', 'leased_by'])
    .where(sql.ref('status'), '=', sql.lit('running'))
    .execute()
}
