import { type Kysely, sql } from 'kysely'
import { key, required } from './columns.ts'

/** Allows several brands to claim a domain, but only one to verify it. Existing domains stay verified. */
export async function addDomainProofs(database: Kysely<unknown>): Promise<void> {
  const { schema } = database
  // SQLite cannot drop the old constraint, which made every claim exclusive.
  await schema
    .createTable('proven_brandings')
    .addColumn('owner_id', 'text', key)
    .addColumn('domain', 'text')
    .addColumn('domain_proof', 'text')
    .addColumn('settings', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await sql`
    insert into proven_brandings (owner_id, domain, domain_proof, settings, created_at, updated_at)
    select owner_id, domain, case when domain is null then null else 'earlier' end, settings, created_at, updated_at
    from brandings
  `.execute(database)
  await schema.dropTable('brandings').execute()
  await schema.alterTable('proven_brandings').renameTo('brandings').execute()
  await schema
    .createIndex('brandings_by_proven_domain')
    .unique()
    .on('brandings')
    .column('domain')
    .where(sql.ref('domain_proof'), 'is not', null)
    .execute()
}
