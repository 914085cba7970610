import { expect, test } from 'vitest'
import { openKnowledge } from './knowledge-test-kit.ts'
import { REMOVE_JOB } from './remove-content.ts'

const BASES = '/api/knowledge-bases'

async function openLargeBase() {
  const removalLimits = { sources: 500, chunks: 3, parts: 500 }
  const knowledge = await openKnowledge({ removalLimits })
  const texts = ['one', 'two', 'three'].map((text) => ({ text }))
  const crawl = [{ path: 'https://example.com/help' }]
  const id = await knowledge.addBase({ sources: texts, crawl, enableAutoRefresh: true })
  const { sources } = (await knowledge.send(`GET ${BASES}/${id}?workspaceId=1`)).body
  for (const { source_id } of sources) {
    const chunks = [0, 1].map((position) => ({ content_hash: `${source_id} ${position}` }))
    await knowledge.finishIngestion(source_id, { chunks, crawl_path: 'https://example.com/help' })
    await knowledge.addVectors(id, ...chunks.map(({ content_hash }) => content_hash))
  }
  const countRows = async () => [
    (await knowledge.readRows('knowledge_sources')).length,
    (await knowledge.readRows('knowledge_chunks')).length,
    (await knowledge.readRows('knowledge_originals')).length,
    (await knowledge.readRows('knowledge_vectors')).length,
  ]
  return { ...knowledge, id, countRows, path: `${BASES}/${id}` }
}

test('a large knowledge base is hidden at once and removed by a job', async () => {
  await using knowledge = await openLargeBase()
  const { send, id, path } = knowledge
  expect((await send(`DELETE ${path}?workspaceId=1`)).status).toBe(204)
  expect((await send(`GET ${path}?workspaceId=1`)).status).toBe(404)
  expect((await send(`GET ${BASES}?workspaceId=1`)).body).toEqual([])
  expect((await send(`DELETE ${path}?workspaceId=1`)).status).toBe(404)
  expect(knowledge.removedBases).toHaveLength(1)
  // The hidden source cannot be searched or read.
  expect(await knowledge.readBase(id)).toMatchObject({ revision: 1, refresh_due_at: null, crawl: '[]' })
  expect(await knowledge.readRows('knowledge_sources')).toMatchObject(
    Array(4).fill({ generation: 0, status: 'removed' }),
  )
  expect(await knowledge.readJobs()).toContainEqual({ kind: REMOVE_JOB, knowledgeBaseId: id })

  await knowledge.runJob(REMOVE_JOB, { knowledgeBaseId: id })
  expect(await knowledge.countRows()).toEqual([0, 0, 0, 0])
  expect(await knowledge.readBase(id)).toBeUndefined()
  await knowledge.runJob(REMOVE_JOB, { knowledgeBaseId: id })
})

test('the sweep finishes a removal whose job was lost', async () => {
  await using knowledge = await openLargeBase()
  await knowledge.send(`DELETE ${knowledge.path}?workspaceId=1`)
  await knowledge.time.advance(2 * 3_600_000)
  await knowledge.runJob('sweep-knowledge')
  expect(await knowledge.countRows()).toEqual([0, 0, 0, 0])
  expect(await knowledge.readBase(knowledge.id)).toBeUndefined()
})

test('many pages of a site are hidden at once, and the same pages can be added again immediately', async () => {
  await using knowledge = await openLargeBase()
  const { send, id, path } = knowledge
  const patched = await send(`PATCH ${path}`, { workspaceId: 1, crawl: [] })
  expect(patched.body).toMatchObject({ sources: [], sourceCount: 0, chunkCount: 0, status: 'ready' })
  expect(await knowledge.countRows()).toEqual([4, 8, 3, 8])
  const response = await send(`POST ${path}/sources`, { workspaceId: 1, sources: [{ text: 'one' }] })
  expect(response.body).toMatchObject({ sourceCount: 1 })
  await knowledge.runJob(REMOVE_JOB, { knowledgeBaseId: id })
  expect(await knowledge.countRows()).toEqual([1, 0, 1, 0])
  expect((await send(`GET ${path}?workspaceId=1`)).body).toMatchObject({ sourceCount: 1, status: 'processing' })
})

test('deleting a workspace deletes its knowledge bases', async () => {
  await using knowledge = await openLargeBase()
  await knowledge.database.transaction((transaction) =>
    transaction.deleteFrom('workspaces').where('workspace_id', '=', 1).execute(),
  )
  expect(await knowledge.countRows()).toEqual([0, 0, 0, 0])
})
