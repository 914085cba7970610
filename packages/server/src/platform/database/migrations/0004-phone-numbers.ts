import type { Kysely } from 'kysely'

/** Phone numbers and the agents bound to them. */
export async function phoneNumbers(_database: Kysely<unknown>): Promise<void> {}
