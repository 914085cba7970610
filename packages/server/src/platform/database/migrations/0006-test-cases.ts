import type { Kysely } from 'kysely'
import { key, referenceTo, required } from './columns.ts'

/** Creates simulation test cases. */
export async function addTestCases({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('test_cases')
    .addColumn('test_case_id', 'text', key)
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('name', 'text', required)
    .addColumn('engine_kind', 'text', required)
    // An engine with test cases is only deleted with its workspace.
    .addColumn('engine_id', 'text', referenceTo('resources.resource_id'))
    .addColumn('engine_version', 'integer')
    .addColumn('definition', 'text', required)
    .addColumn('edit_count', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await schema
    .createIndex('test_cases_of_workspace')
    .on('test_cases')
    .columns(['workspace_id', 'created_at desc', 'test_case_id desc'])
    .execute()
  await schema.createIndex('test_cases_by_engine').on('test_cases').column('engine_id').execute()
}
