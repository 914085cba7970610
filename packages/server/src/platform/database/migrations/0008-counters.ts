import type { Kysely } from 'kysely'
import { key, required } from './columns.ts'

/** Counters that only grow: the highest workspace id, so that none is reused. */
export async function counters({ schema }: Kysely<unknown>): Promise<void> {
  await schema.createTable('counters').addColumn('name', 'text', key).addColumn('value', 'bigint', required).execute()
}
