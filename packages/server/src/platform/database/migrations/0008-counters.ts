import type { Kysely } from 'kysely'
import { key, required } from './columns.ts'

/** What only ever counts up: the highest workspace id that was given, so that none is given twice. */
export async function counters({ schema }: Kysely<unknown>): Promise<void> {
  await schema.createTable('counters').addColumn('name', 'text', key).addColumn('value', 'bigint', required).execute()
}
