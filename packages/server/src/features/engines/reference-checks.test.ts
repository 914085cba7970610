import { expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { buildKnowledgeBaseRow } from '../knowledge/knowledge-test-kit.ts'
import { findKnowledgeWarnings } from './reference-checks.ts'

test('names each missing knowledge base of the workspace once, at most twenty', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  await database.transaction((transaction) =>
    transaction
      .insertInto('knowledge_bases')
      .values([buildKnowledgeBaseRow('knowledge_base_1', 1), buildKnowledgeBaseRow('knowledge_base_2', 2)])
      .execute(),
  )
  const named = ['knowledge_base_1', 'knowledge_base_2', 'knowledge_base_2', 'nope']
  expect(await findKnowledgeWarnings(database.read, 1, named)).toEqual([
    'The knowledge base "knowledge_base_2" does not exist: it is skipped.',
    'The knowledge base "nope" does not exist: it is skipped.',
  ])
  expect(await findKnowledgeWarnings(database.read, 1, [])).toEqual([])
  const many = Array.from({ length: 1000 }, (_, index) => `gone_${index}`)
  expect(await findKnowledgeWarnings(database.read, 1, many)).toHaveLength(20)
})
