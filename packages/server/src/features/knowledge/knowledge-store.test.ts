import { SOURCE_STATUSES } from '@parley/contract/knowledge-source'
import fc from 'fast-check'
import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { countSources, decideStatus, NO_SOURCES, type SourceCounts } from './decide-status.ts'
import { readBase } from './knowledge-store.ts'
import { openKnowledge } from './knowledge-test-kit.ts'
import { countByStatus } from './sources/source-store.ts'

/** Runs `work` once after the query with this number. */
function runAfterQuery(queryNumber: number, work: () => Promise<unknown>): KyselyPlugin {
  let queries = 0
  return {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      queries += 1
      if (queries === queryNumber) await work()
      return result
    },
  }
}

test.each([1, 2, 3])(
  'reports a base as ready when its last source becomes ready during query %i',
  async (queryNumber) => {
    await using knowledge = await openKnowledge()
    const { database } = knowledge
    const id = await knowledge.addBase({ sources: [{ text: 'Bells cost 19 francs.' }] })
    const baseRequest = { workspaceId: 1, id, searchMode: 'lexical' } as const
    const [source] = (await readBase(database.read, baseRequest)).response.sources
    const finishIngestion = async () => {
      await knowledge.finishIngestion(source?.source_id ?? '', { chunks: [{ content_hash: 'bells' }] })
      await database.transaction((transaction) =>
        transaction.updateTable('knowledge_bases').set({ updated_at: 99_000 }).execute(),
      )
    }
    const { response: base } = await readBase(
      database.read.withPlugin(runAfterQuery(queryNumber, finishIngestion)),
      baseRequest,
    )
    const finalBase = (await readBase(database.read, baseRequest)).response
    expect(finalBase.status).toBe('ready')
    if (base.status === 'ready') expect(base).toEqual(finalBase)
  },
)

/** A source as ingestion may leave it. Only sources that were read can be refreshed, and ready sources were read. */
const source = fc
  .record({ status: fc.constantFrom(...SOURCE_STATUSES), chunks: fc.integer({ min: 1, max: 9 }) })
  .map(({ status, chunks }) => {
    const wasRead = status === 'ready' || status === 'refreshing'
    return { status, generation: wasRead ? 1 : 0, chunks: wasRead ? chunks : 0 }
  })

function countSourcesByStatus(
  sources: readonly { status: string; generation: number; chunks: number }[],
): SourceCounts {
  const count = (status: string) => sources.filter((item) => item.status === status).length
  return {
    processing: count('processing'),
    refreshing: count('refreshing'),
    ready: count('ready'),
    error: count('error'),
    searchable: sources.filter(({ generation }) => generation > 0).length,
    chunks: sources.reduce((sum, { chunks }) => sum + chunks, 0),
  }
}

test('the status of a knowledge base reflects its sources', () => {
  fc.assert(
    fc.property(fc.array(source, { maxLength: 8 }), (sources) => {
      const status = decideStatus(countSourcesByStatus(sources))
      const hasStatus = (expectedStatus: string) => sources.some((item) => item.status === expectedStatus)
      expect(status === 'processing').toBe(hasStatus('processing'))
      if (status !== 'processing') expect(status === 'refreshing').toBe(hasStatus('refreshing'))
      if (status === 'error') expect(sources.every((item) => item.status === 'error')).toBe(true)
      if (status === 'ready') expect(sources.every((item) => item.status === 'error') && sources.length > 0).toBe(false)
      expect(countSources(countSourcesByStatus(sources))).toBe(sources.length)
    }),
  )
})

test('a knowledge base without sources is ready', () => {
  expect(decideStatus(NO_SOURCES)).toBe('ready')
})

test('database counts equal the rows of each knowledge base', async () => {
  await using knowledge = await openKnowledge()
  const sourceLists = fc.sample(fc.array(source, { minLength: 1, maxLength: 8 }), { seed: 7, numRuns: 6 })
  const ids: string[] = []
  for (const [index, sources] of sourceLists.entries()) {
    const id = await knowledge.addBase({
      sources: sources.map((_, position) => ({ url: `https://example.com/${position}` })),
    })
    ids.push(id)
    const rows = (await knowledge.readRows('knowledge_sources')).filter(
      (row) => 'knowledge_base_id' in row && row.knowledge_base_id === id,
    )
    for (const [position, { status, generation, chunks }] of sources.entries()) {
      const sourceId = 'source_id' in (rows[position] ?? {}) ? (rows[position] as { source_id: string }).source_id : ''
      await knowledge.finishIngestion(sourceId, {
        status,
        generation,
        chunks: Array.from({ length: chunks }, () => ({})),
      })
    }
    const { body } = await knowledge.send(`GET /api/knowledge-bases/${id}?workspaceId=1`)
    expect([index, body.status]).toEqual([index, decideStatus(countSourcesByStatus(sources))])
  }
  const counts = await countByStatus(knowledge.database.read, ids)
  for (const [index, sources] of sourceLists.entries())
    expect(counts.get(ids[index] ?? '')).toEqual(countSourcesByStatus(sources))
})
