import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../../testing/temporary-database.ts'
import { addDomainProofs } from './0023-domain-proofs.ts'

test('existing domains stay verified, and others can claim them', async () => {
  await using database = await temporaryDatabase()
  const brand = (owner_id: string, domain: string | null, domain_proof: string | null) => ({
    owner_id,
    domain,
    domain_proof,
    settings: '{}',
    created_at: 1,
    updated_at: 2,
  })
  await database.transaction(async (transaction) => {
    const rows = [brand('a', 'a.example', null), brand('b', null, null)]
    await transaction.insertInto('brandings').values(rows).execute()
    await transaction.schema.dropIndex('brandings_by_proven_domain').execute()
    await addDomainProofs(transaction as unknown as Kysely<unknown>)
    await transaction
      .insertInto('brandings')
      .values(brand('c', 'a.example', null))
      .execute()
  })
  const rows = await database.read.selectFrom('brandings').selectAll().orderBy('owner_id').execute()
  expect(rows).toEqual([brand('a', 'a.example', 'earlier'), brand('b', null, null), brand('c', 'a.example', null)])
  const second = database.transaction((unit) => unit.updateTable('brandings').set({ domain_proof: 'record' }).execute())
  await expect(second).rejects.toThrow()
})
