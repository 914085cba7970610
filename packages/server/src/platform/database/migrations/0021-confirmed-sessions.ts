import type { Kysely } from 'kysely'

/** Records when the user of a session last entered the password. */
export async function addSessionConfirmations({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('sessions')
    .addColumn('confirmed_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
}
