import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../../testing/temporary-database.ts'
import { addNumberProofs } from './0023-number-proofs.ts'

test('numbers stay verified, keep their agents, and are deleted with their workspace', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  await database.transaction(async (transaction) => {
    const texts = { number: '+15550100001', base_number: '15550100001', provider: 'sip', nickname: 'Shop' }
    const ids = { application_sid: 'a', phone_number_sid: 'b', default_agent_id: null, inbound_webhook_url: null }
    const rest = { time_routing: null, fallback_number: null, termination_uri: null, credentials: null }
    const flags = { is_time_routing_enabled: 0 as const, sticky: 1 as const, import_error: null, edit_count: 3 }
    await transaction
      .insertInto('phone_numbers')
      .values({
        number_id: 7,
        workspace_id: 1,
        verified_by: null,
        ...texts,
        ...ids,
        ...rest,
        ...flags,
        created_at: 1,
        updated_at: 2,
      })
      .execute()
    const agent = { number_id: 7, direction: 'inbound', position: 0, agent_id: 'agent_a', agent_version: 2, weight: 1 }
    await transaction.insertInto('number_agents').values(agent).execute()
    for (const index of ['phone_numbers_of_workspace', 'number_agents_by_agent']) {
      await transaction.schema.dropIndex(index).execute()
    }
    for (const index of ['phone_numbers_by_number', 'phone_numbers_verified']) {
      await transaction.schema.dropIndex(index).execute()
    }
    // The key of the agents is named anew by the step.
    await transaction.schema.alterTable('number_agents').renameTo('kept_agents').execute()
    await transaction.schema
      .createTable('number_agents')
      .addColumn('number_id', 'integer')
      .addColumn('direction', 'text')
      .addColumn('position', 'integer')
      .addColumn('agent_id', 'text')
      .addColumn('agent_version', 'integer')
      .addColumn('weight', 'double precision')
      .execute()
    await transaction.insertInto('number_agents').values(agent).execute()
    await transaction.schema.dropTable('kept_agents').execute()
    await addNumberProofs(transaction as unknown as Kysely<unknown>)
  })
  const [number] = await database.read.selectFrom('phone_numbers').selectAll().execute()
  expect(number).toMatchObject({ number_id: 7, verified_by: 'earlier', nickname: 'Shop', edit_count: 3, updated_at: 2 })
  expect(await database.read.selectFrom('number_agents').select(['agent_id', 'agent_version']).execute()).toEqual([
    { agent_id: 'agent_a', agent_version: 2 },
  ])
  await database.transaction((unit) => unit.deleteFrom('workspaces').where('workspace_id', '=', 1).execute())
  expect(await database.read.selectFrom('number_agents').select('number_id').execute()).toEqual([])
})
