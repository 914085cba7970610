import type { Kysely } from 'kysely'
import { key, required } from './columns.ts'

/** Creates counters that only increase: the highest workspace id, so that no id is reused. */
export async function addCounters({ schema }: Kysely<unknown>): Promise<void> {
  await schema.createTable('counters').addColumn('name', 'text', key).addColumn('value', 'bigint', required).execute()
}
