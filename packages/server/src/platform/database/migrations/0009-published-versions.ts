import { type Kysely, sql } from 'kysely'

/**
 * The published versions of each resource, the highest of which is the active one: looked for at every read, whatever the
 * number of versions and the size of what they hold.
 */
export async function publishedVersions({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createIndex('resource_versions_published')
    .on('resource_versions')
    .columns(['resource_id', 'version', 'published_at'])
    .where(sql.ref('published_at'), 'is not', null)
    .execute()
}
