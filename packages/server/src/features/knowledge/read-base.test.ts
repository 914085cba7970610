import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { openKnowledge } from './knowledge-test-kit.ts'
import { readBase } from './read-base.ts'

/** Does `work` once, behind the query with this number. */
function afterQuery(number: number, work: () => Promise<unknown>): KyselyPlugin {
  let queries = 0
  return {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      queries += 1
      if (queries === number) await work()
      return result
    },
  }
}

test.each([1, 2, 3])(
  'a base that is ready is answered as it stays, also when its last source settles behind query %i',
  async (number) => {
    await using knowledge = await openKnowledge()
    const { database } = knowledge
    const id = await knowledge.addBase({ sources: [{ text: 'Bells cost 19 francs.' }] })
    const wanted = { workspaceId: 1, id, searchMode: 'lexical' } as const
    const [source] = (await readBase(database.read, wanted)).answer.sources
    const finalizeRead = async () => {
      await knowledge.finalizeRead(source?.source_id ?? '', { chunks: [{ content_hash: 'bells' }] })
      await database.transaction((transaction) =>
        transaction.updateTable('knowledge_bases').set({ updated_at: 99_000 }).execute(),
      )
    }
    const { answer } = await readBase(database.read.withPlugin(afterQuery(number, finalizeRead)), wanted)
    const after = (await readBase(database.read, wanted)).answer
    expect(after.status).toBe('ready')
    if (answer.status === 'ready') expect(answer).toEqual(after)
  },
)
