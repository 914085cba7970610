import { SOURCE_STATUSES } from '@parley/contract/knowledge-source'
import fc from 'fast-check'
import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { countSources, decideStatus, NO_SOURCES, type SourceCounts } from './decide-status.ts'
import { readBase } from './knowledge-store.ts'
import { openKnowledge } from './knowledge-test-kit.ts'
import { countByStatus } from './sources/source-store.ts'

/** Runs `work` once after the query with this number. */
function runAfterQuery(number: number, work: () => Promise<unknown>): KyselyPlugin {
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
  'a ready base is reported as ready even when its last source settles during query %i',
  async (number) => {
    await using knowledge = await openKnowledge()
    const { database } = knowledge
    const id = await knowledge.addBase({ sources: [{ text: 'Bells cost 19 francs.' }] })
    const wanted = { workspaceId: 1, id, searchMode: 'lexical' } as const
    const [source] = (await readBase(database.read, wanted)).response.sources
    const finalizeRead = async () => {
      await knowledge.finalizeRead(source?.source_id ?? '', { chunks: [{ content_hash: 'bells' }] })
      await database.transaction((transaction) =>
        transaction.updateTable('knowledge_bases').set({ updated_at: 99_000 }).execute(),
      )
    }
    const { response: answer } = await readBase(database.read.withPlugin(runAfterQuery(number, finalizeRead)), wanted)
    const after = (await readBase(database.read, wanted)).response
    expect(after.status).toBe('ready')
    if (answer.status === 'ready') expect(answer).toEqual(after)
  },
)

/** A source as ingestion may leave it. Only sources that were read can be refreshed, and ready sources were read. */
const source = fc
  .record({ status: fc.constantFrom(...SOURCE_STATUSES), chunks: fc.integer({ min: 1, max: 9 }) })
  .map(({ status, chunks }) => {
    const wasRead = status === 'ready' || status === 'refreshing'
    return { status, generation: wasRead ? 1 : 0, chunks: wasRead ? chunks : 0 }
  })

function countAll(sources: readonly { status: string; generation: number; chunks: number }[]): SourceCounts {
  const count = (status: string) => sources.filter((one) => one.status === status).length
  return {
    processing: count('processing'),
    refreshing: count('refreshing'),
    ready: count('ready'),
    error: count('error'),
    usable: sources.filter(({ generation }) => generation > 0).length,
    chunks: sources.reduce((sum, { chunks }) => sum + chunks, 0),
  }
}

test('the status of a knowledge base reflects its sources', () => {
  fc.assert(
    fc.property(fc.array(source, { maxLength: 8 }), (sources) => {
      const status = decideStatus(countAll(sources))
      const has = (wanted: string) => sources.some((one) => one.status === wanted)
      expect(status === 'processing').toBe(has('processing'))
      if (status !== 'processing') expect(status === 'refreshing').toBe(has('refreshing'))
      if (status === 'error') expect(sources.every((one) => one.status === 'error')).toBe(true)
      if (status === 'ready') expect(sources.every((one) => one.status === 'error') && sources.length > 0).toBe(false)
      expect(countSources(countAll(sources))).toBe(sources.length)
    }),
  )
})

test('a knowledge base without sources is ready', () => {
  expect(decideStatus(NO_SOURCES)).toBe('ready')
})

test('database counts equal the rows of each knowledge base', async () => {
  await using knowledge = await openKnowledge()
  const scenes = fc.sample(fc.array(source, { minLength: 1, maxLength: 8 }), { seed: 7, numRuns: 6 })
  const ids: string[] = []
  for (const [index, scene] of scenes.entries()) {
    const id = await knowledge.addBase({ sources: scene.map((_, at) => ({ url: `https://example.com/${at}` })) })
    ids.push(id)
    const rows = (await knowledge.rows('knowledge_sources')).filter(
      (row) => 'knowledge_base_id' in row && row.knowledge_base_id === id,
    )
    for (const [at, { status, generation, chunks }] of scene.entries()) {
      const sourceId = 'source_id' in (rows[at] ?? {}) ? (rows[at] as { source_id: string }).source_id : ''
      await knowledge.finalizeRead(sourceId, { status, generation, chunks: Array.from({ length: chunks }, () => ({})) })
    }
    const { body } = await knowledge.send(`GET /api/knowledge-bases/${id}?workspaceId=1`)
    expect([index, body.status]).toEqual([index, decideStatus(countAll(scene))])
  }
  const counts = await countByStatus(knowledge.database.read, ids)
  for (const [index, scene] of scenes.entries()) expect(counts.get(ids[index] ?? '')).toEqual(countAll(scene))
})
