import type { Kysely } from 'kysely'

/** Stores samples that replace the previews of added voices. */
export async function addVoiceSamples({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('voices').addColumn('playback_override_url', 'text').execute()
}
