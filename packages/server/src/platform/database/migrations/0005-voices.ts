import type { Kysely } from 'kysely'
import { key, referenceTo, required } from './columns.ts'

/** Creates the table of voices that workspaces add from vendors. */
export async function addVoices({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('voices')
    .addColumn('voice_id', 'text', key)
    .addColumn('workspace_id', 'integer', referenceTo('workspaces.workspace_id'))
    .addColumn('provider', 'text', required)
    .addColumn('provider_voice_id', 'text', required)
    .addColumn('account_voice_id', 'text', required)
    .addColumn('public_user_id', 'text')
    .addColumn('name', 'text', required)
    .addColumn('gender', 'text')
    .addColumn('language', 'text')
    .addColumn('accent', 'text')
    .addColumn('description', 'text', required)
    .addColumn('preview_url', 'text')
    .addColumn('tags', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await schema
    .createIndex('voices_by_source')
    .on('voices')
    .columns(['workspace_id', 'provider', 'provider_voice_id'])
    .unique()
    .execute()
  await schema
    .createIndex('voices_of_workspace')
    .on('voices')
    .columns(['workspace_id', 'created_at desc', 'voice_id desc'])
    .execute()
}
