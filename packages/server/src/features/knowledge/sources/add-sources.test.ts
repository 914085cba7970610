import { expect, test } from 'vitest'
import type { Upload } from '../../../kernel/api/implement.ts'
import { createSharedClock } from '../../../kernel/work/shared-clock.ts'
import { aroundWrites } from '../../features-test-kit.ts'
import { createKnowledgeService } from '../knowledge-service.ts'
import { openKnowledge } from '../knowledge-test-kit.ts'
import { PART_BYTES, splitIntoParts } from './stage-content.ts'

const NOTHING = { workspaceId: 1, sources: [] }
const buildBase = {
  ...NOTHING,
  ...{ name: 'Manuals', description: '', enableAutoRefresh: true, refreshIntervalHours: 24, crawl: [] },
  ...{ maxChunkSize: 2000, minChunkSize: 400 },
}

function upload(name: string, sizeBytes: number, open?: Upload['open']): Upload {
  const chunks = async function* () {
    for (let sent = 0; sent < sizeBytes; sent += 65_536) yield new Uint8Array(Math.min(65_536, sizeBytes - sent))
  }
  return { field: 'files', filename: name, contentType: null, sizeBytes, sha256: name, open: open ?? chunks }
}

/** Opens the service on a database that fails permanently from its n-th write on, like a crashed process. */
async function openCrashing(knowledge: Awaited<ReturnType<typeof openKnowledge>>, writesLeft: number) {
  let left = writesLeft
  const spend = () => {
    left -= 1
    if (left < 0) throw new Error('the process is gone')
  }
  const crashing = aroundWrites(knowledge.database, async (write) => {
    spend()
    return await write()
  })
  return createKnowledgeService({
    database: crashing,
    clock: createSharedClock(knowledge.time.clock),
    makeId: knowledge.makeId,
    jobs: { enqueue: async () => 'job' },
    searches: { forWorkspace: () => ({ search: () => Promise.reject(new Error('no searches here')) }) },
    removals: [],
    searchMode: () => 'lexical',
    webhooks: { deleteEventsOf: () => [] },
  })
}

test('a crash at any point leaves nothing visible and nothing permanent', async () => {
  await using knowledge = await openKnowledge()
  const { service } = knowledge
  const files = [upload('a', 2 * PART_BYTES + 1), upload('b', 10)]
  let crashed = 0
  for (let writes = 0; ; writes += 1) {
    const created = await (await openCrashing(knowledge, writes)).create(1, buildBase, files).catch(() => null)
    if (created !== null) break
    crashed += 1
    expect((await service.list(1, { limit: 10, after: null })).items).toEqual([])
  }
  expect(crashed).toBeGreaterThan(3)
  await knowledge.time.advance(3_599_000)
  await knowledge.runJob('sweep-knowledge')
  expect((await knowledge.rows('knowledge_sources')).length).toBeGreaterThan(2)
  await knowledge.time.advance(2000)
  await knowledge.runJob('sweep-knowledge')
  const { items } = await service.list(1, { limit: 10, after: null })
  expect(items).toMatchObject([{ sourceCount: 2, status: 'processing' }])
  expect(await knowledge.rows('knowledge_sources')).toHaveLength(2)
  expect(await knowledge.rows('knowledge_originals')).toHaveLength(4)
  expect(await knowledge.database.read.selectFrom('knowledge_bases').select('edit_count').execute()).toHaveLength(1)
})

test('adds nothing of a request with a file that cannot be read to its end', async () => {
  await using knowledge = await openKnowledge()
  const id = await knowledge.addBase()
  const broken = async function* () {
    yield new Uint8Array(PART_BYTES)
    throw new Error('the disk is gone')
  }
  const files = [upload('a', 10), upload('b', 2 * PART_BYTES, broken)]
  const adding = knowledge.service.addSources({ workspaceId: 1, knowledgeBaseId: id }, NOTHING, files)
  await expect(adding).rejects.toThrow('the disk is gone')
  expect(await knowledge.rows('knowledge_sources')).toEqual([])
  expect(await knowledge.rows('knowledge_originals')).toEqual([])
})

test('deleting a knowledge base during an upload deletes the files', async () => {
  await using knowledge = await openKnowledge()
  const { service } = knowledge
  const id = await knowledge.addBase()
  const slow = async function* () {
    yield new Uint8Array(PART_BYTES)
    await service.remove({ workspaceId: 1, knowledgeBaseId: id, ifMatch: null })
    yield new Uint8Array(PART_BYTES)
  }
  const files = [upload('a', 2 * PART_BYTES, slow)]
  const adding = service.addSources({ workspaceId: 1, knowledgeBaseId: id }, NOTHING, files)
  await expect(adding).rejects.toMatchObject({ code: 'not_found' })
  expect(await knowledge.rows('knowledge_originals')).toEqual([])
})

test('adding content again restores a source that is deleted during the upload', async () => {
  await using knowledge = await openKnowledge()
  const { service } = knowledge
  const id = await knowledge.addBase()
  const target = { workspaceId: 1, knowledgeBaseId: id }
  const { response: answer } = await service.addSources(target, NOTHING, [upload('a', 10)])
  const sourceId = answer.sources[0]?.source_id ?? ''
  const deleting = async function* () {
    await service.removeSource({ ...target, sourceId })
    yield new Uint8Array(5)
  }
  const added = await service.addSources(target, NOTHING, [upload('a', 10), upload('b', 5, deleting)])
  expect(added.response.sources.map(({ filename }) => filename).toSorted()).toEqual(['a', 'b'])
  expect(await knowledge.rows('knowledge_originals')).toHaveLength(2)
})

test('parts have one size, however the bytes arrive', async () => {
  const sizes = [1, PART_BYTES, 0, 2 * PART_BYTES + 7, PART_BYTES - 1]
  const bytes = Buffer.from(new Uint8Array(sizes.reduce((sum, size) => sum + size)).map((_, index) => index % 253))
  const chunks = async function* () {
    let from = 0
    for (const size of sizes) {
      yield bytes.subarray(from, from + size)
      from += size
    }
  }
  const parts: Buffer[] = []
  for await (const part of splitIntoParts(chunks())) parts.push(part)
  expect(Buffer.concat(parts).equals(bytes)).toBe(true)
  expect(parts.slice(0, -1).every(({ length }) => length === PART_BYTES)).toBe(true)
  const encoded = parts.map((part) => part.toString('base64')).join('')
  expect(encoded).toBe(bytes.toString('base64'))
})
