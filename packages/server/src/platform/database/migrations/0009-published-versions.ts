import { type Kysely, sql } from 'kysely'

/** Indexes the published versions of each resource, because every read looks up the highest, which is live. */
export async function indexPublishedVersions({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createIndex('resource_versions_published')
    .on('resource_versions')
    .columns(['resource_id', 'version', 'published_at'])
    .where(sql.ref('published_at'), 'is not', null)
    .execute()
}
