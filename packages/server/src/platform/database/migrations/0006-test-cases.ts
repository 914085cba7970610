import type { Kysely } from 'kysely'

/** Simulation test cases. */
export async function testCases(_database: Kysely<unknown>): Promise<void> {}
