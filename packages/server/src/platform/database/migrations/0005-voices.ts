import type { Kysely } from 'kysely'

/** Voices that workspaces added from providers. */
export async function voices(_database: Kysely<unknown>): Promise<void> {}
