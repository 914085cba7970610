import { SOURCE_STATUSES } from '@parley/contract/knowledge-source'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countSources, decideStatus, NO_SOURCES, type SourceCounts } from './decide-status.ts'
import { openKnowledge } from './knowledge-test-kit.ts'
import { countByStatus } from './sources/source-store.ts'

/** A source as its ingestion may leave it: only one that was read can be refreshed, and one that is ready was read. */
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

test('the status of a knowledge base tells what is true of its sources', () => {
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

test('counts of the database are those of the rows, of each knowledge base apart', async () => {
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
