import type { Kysely } from 'kysely'
import { referenceTo, required } from './columns.ts'

/** Creates named secrets for the tools of a workspace. */
export async function addWorkspaceSecrets({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('workspace_secrets')
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('name', 'text', required)
    .addColumn('ciphertext', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .addPrimaryKeyConstraint('workspace_secrets_key', ['workspace_id', 'name'])
    .execute()
}
