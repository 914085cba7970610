import type { Kysely } from 'kysely'

/** Calls, with an index for search. */
export async function calls(_database: Kysely<unknown>): Promise<void> {}
